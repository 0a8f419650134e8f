package dev.envelope.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class OutageTest {

    private final Logger log = (Logger) LoggerFactory.getLogger("outage-test");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Outage outage = new Outage(log, "saving");

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
        log.setAdditive(false);
        log.setLevel(Level.INFO);
    }

    @AfterEach
    void listenNoMore() {
        log.detachAppender(lines);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void saysOnceThatItFailsAndOnceThatItWorksAgain() {
        outage.failed(new IllegalStateException("refused"));
        outage.failed(new IllegalStateException("refused"));
        assertThat(outage.isOn()).isTrue();
        outage.over();
        outage.over();

        assertThat(outage.isOn()).isFalse();
        assertThat(said()).containsExactly("saving: refused; trying again", "saving: works again");
    }

    @Test
    void saysAnotherCauseToo() {
        outage.failed(new IllegalStateException("refused"));
        outage.failed(new IllegalStateException("timed out"));

        assertThat(said()).hasSize(2);
    }

    @Test
    void copesWithACauseThatSaysNothing() {
        outage.failed(new IllegalStateException());

        assertThat(outage.isOn()).isTrue();
    }
}
