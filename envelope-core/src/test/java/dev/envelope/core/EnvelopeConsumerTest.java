package dev.envelope.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.EnvelopeConsumer.State;
import dev.envelope.core.testkit.FakeCheckpoints;
import dev.envelope.core.testkit.ScriptedHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of a consumer whose broker is nowhere. */
@Timeout(60)
final class EnvelopeConsumerTest {

    private final List<State> states = new ArrayList<>();

    private EnvelopeConsumer consumer() {
        ConsumerSettings settings = ConsumerSettings.of("app", "127.0.0.1:1", Set.of("orders"));
        EnvelopeConsumer consumer =
                new EnvelopeConsumer(settings, new ScriptedHandler(), new FakeCheckpoints());
        consumer.onStateChange(
                state -> {
                    throw new IllegalStateException("a listener of no use");
                });
        consumer.onStateChange(states::add);
        return consumer;
    }

    @Test
    void oneThatWasNeverStartedIsClosedAtOnce() {
        EnvelopeConsumer consumer = consumer();

        assertThat(consumer.close(Duration.ofSeconds(5))).isTrue();
        assertThat(consumer.state()).isEqualTo(State.CLOSED);
        assertThat(states).containsExactly(State.CLOSED);
        assertThatThrownBy(consumer::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closesWithoutABrokerAndTellsEveryListenerWhateverTheOthersThrow() {
        EnvelopeConsumer consumer = consumer();
        consumer.start();

        assertThat(consumer.state()).isEqualTo(State.STARTING);
        assertThat(consumer.close(Duration.ofSeconds(5))).isTrue();
        assertThat(states).containsExactly(State.STARTING, State.CLOSING, State.CLOSED);
        assertThat(consumer.fault()).isNull();
        assertThat(consumer.close(Duration.ofSeconds(5))).as("again").isTrue();
    }

    @Test
    void aClientPropertyThatIsWrongIsRefused() {
        ConsumerSettings settings = ConsumerSettings.of("app", "no port", Set.of("orders"));

        assertThatThrownBy(
                        () ->
                                new EnvelopeConsumer(
                                        settings, new ScriptedHandler(), new FakeCheckpoints()))
                .isInstanceOf(KafkaException.class);
    }

    @Test
    void thereAreAtLeastFourShardsAWorker() {
        assertThat(ConsumerSettings.shardsFor(1)).isEqualTo(256);
        assertThat(ConsumerSettings.shardsFor(64)).isEqualTo(256);
        assertThat(ConsumerSettings.shardsFor(65)).isEqualTo(512);
    }
}
