package dev.envelope.app.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LogOutletTest {

    /** A reader that takes nothing before it is told to. */
    private static final class SlowReader extends OutputStream {

        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch reached = new CountDownLatch(1);
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();

        @Override
        public void write(int letter) {
            throw new IllegalStateException("whole lines are written");
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            reached.countDown();
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            text.write(bytes, from, length);
        }
    }

    private final LoggerContext context = new LoggerContext();
    private final SlowReader reader = new SlowReader();
    private final LogOutlet outlet = new LogOutlet(reader, 4);
    private final Logger log = context.getLogger("dev.envelope.test");

    private void start() {
        context.setMDCAdapter(new LogbackMDCAdapter());
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%level %msg%n");
        encoder.start();
        outlet.setContext(context);
        outlet.setEncoder(encoder);
        outlet.start();
        log.setLevel(Level.INFO);
        log.addAppender(outlet);
    }

    @Test
    void whoLogsNeverWaitsAndWhatWasDroppedIsCounted() throws InterruptedException {
        start();
        log.info("first");
        reader.reached.await(); // the writer is stuck with it, and four fit into the queue

        for (int i = 0; i < 10; i++) {
            log.info("line {}", i);
        }
        log.warn("a warning");
        reader.held.countDown();
        outlet.stop();

        assertThat(reader.text.toString(StandardCharsets.UTF_8))
                .startsWith("INFO first\n")
                .contains("7 lines were dropped, 1 of them warnings or errors")
                .contains("INFO line 3\n")
                .doesNotContain("line 4");
    }

    @Test
    void theEndWritesWhatIsQueued() {
        reader.held.countDown();
        start();
        log.info("one");
        log.info("two");
        outlet.stop();

        assertThat(reader.text.toString(StandardCharsets.UTF_8)).isEqualTo("INFO one\nINFO two\n");
    }

    @Test
    void theSameLineOfAKafkaClientComesOnceAMinute() {
        long[] now = {0};
        RepeatedLines lines = new RepeatedLines(() -> now[0]);
        var event = new ch.qos.logback.classic.spi.LoggingEvent();
        event.setLoggerName("org.apache.kafka.clients.NetworkClient");
        event.setMessage("Connection to node {} could not be established");

        assertThat(lines.admit(event)).isEqualTo(new RepeatedLines.Answer(true, 0));
        for (int i = 0; i < 5; i++) {
            assertThat(lines.admit(event).isAdmitted()).isFalse();
        }
        now[0] += 60_000_000_000L;
        assertThat(lines.admit(event)).isEqualTo(new RepeatedLines.Answer(true, 5));

        event.setLoggerName("dev.envelope.core.offset.Committer");
        assertThat(lines.admit(event).isAdmitted()).isTrue();
        assertThat(lines.admit(event).isAdmitted()).isTrue();
    }

    @Test
    void linesOfKafkaThatOnlyDifferInNumbersAndClientsAreOfOneKind() {
        RepeatedLines lines = new RepeatedLines(() -> 0);

        assertThat(lines.admit(kafka("[AdminClient clientId=a-1] issue 32 : {gone=UNKNOWN}")))
                .isEqualTo(new RepeatedLines.Answer(true, 0));
        assertThat(lines.admit(kafka("[AdminClient clientId=a-2] issue 7 : {gone=UNKNOWN}")))
                .isEqualTo(new RepeatedLines.Answer(false, 0));
        assertThat(lines.admit(kafka("[AdminClient clientId=a-2] issue 7 : {other=UNKNOWN}")))
                .isEqualTo(new RepeatedLines.Answer(true, 0));
    }

    @Test
    void whatAStartTellsBetterOfItsOwnClientIsHeldBackAndNothingElse() {
        RepeatedLines lines = new RepeatedLines(() -> 0);
        String broken = "Connection to node -1 (h/1.2.3.4:9092) terminated during authentication.";
        String away = "Connection to node 1 (kafka:9092) could not be established.";
        String start = "[AdminClient clientId=" + ToldBetter.CLIENT_ID + "1] ";

        assertThat(lines.admit(kafka(start + broken)).isAdmitted()).isFalse();
        assertThat(lines.admit(kafka(start + away)).isAdmitted()).isTrue();
        assertThat(lines.admit(kafka("[Consumer clientId=envelope-x] " + broken)).isAdmitted())
                .isTrue();
    }

    private static LoggingEvent kafka(String message) {
        LoggingEvent event = new LoggingEvent();
        event.setLoggerName("org.apache.kafka.clients.NetworkClient");
        event.setMessage(message);
        return event;
    }
}
