package dev.envelope.idempotency.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.Delivery.Refusal;
import dev.envelope.idempotency.outbox.FakeDelivery;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class ToDeadLettersTest {

    private static final GivenUp GIVEN_UP = new GivenUp(3, new IllegalStateException("no such"));

    private final PartitionEpoch epoch = Records.epoch(1);
    private final FakeDelivery delivery = new FakeDelivery();
    private final ToDeadLetters letters =
            new ToDeadLetters(
                    new DeadLetters("letters", "app", DeadLetterHeaders.STREAMS), delivery, "app");

    private Message message(long offset, String value) {
        return Records.message(epoch, offset, 4, "k", value);
    }

    private @Nullable String header(int at, String name) {
        var header = delivery.arrived().get(at).headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Test
    void aLetterHasItsMessageAndSaysWhyItFailed() {
        letters.setAside(message(7, "bad"), GIVEN_UP);

        ProducerRecord<?, byte @Nullable []> letter = delivery.arrived().get(0);
        assertThat(letter.topic()).isEqualTo("letters");
        assertThat(letter.key()).isEqualTo("k".getBytes(StandardCharsets.UTF_8));
        assertThat(delivery.values()).containsExactly("bad");
        assertThat(header(0, "envelope.reason")).isEqualTo("failed");
        assertThat(header(0, "envelope.attempts")).isEqualTo("3");
        assertThat(header(0, "__streams.errors.message")).isEqualTo("no such");
        assertThat(header(0, "__streams.errors.offset")).isEqualTo("7");
    }

    @Test
    void aMessageThatCanNotBeHandledAtAllWasNotTried() {
        letters.setAside(Records.withoutRow(epoch, 3, "it has no key"), null);

        assertThat(header(0, "envelope.reason")).isEqualTo("refused");
        assertThat(header(0, "envelope.attempts")).isEqualTo("0");
        assertThat(header(0, "__streams.errors.message")).isEqualTo("it has no key");
    }

    /** After a lost acknowledgement it is sent again: those who read tell it by its id. */
    @Test
    void aLetterHasTheSameIdEachTime() {
        letters.setAside(message(7, "bad"), GIVEN_UP);
        letters.setAside(message(7, "bad"), GIVEN_UP);
        letters.setAside(message(8, "bad"), GIVEN_UP);

        assertThat(delivery.ids()).containsExactly("app/t-0@7@4", "app/t-0@7@4", "app/t-0@8@4");
    }

    /** What is in flight must not arrive besides the next attempt, behind later letters. */
    @Test
    void withoutAnAcknowledgementItWaitsAndNothingStaysInFlight() {
        delivery.refuseAll("no broker answers");

        assertThatThrownBy(() -> letters.setAside(message(7, "bad"), GIVEN_UP))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("no broker answers");
        assertThat(delivery.closed()).isOne();

        delivery.refuseAll(null);
        letters.setAside(message(7, "bad"), GIVEN_UP);
        assertThat(delivery.values()).containsExactly("bad");
    }

    /** To wait would be in vain. */
    @Test
    void aLetterThatTheTopicNeverTakesIsAnError() {
        delivery.refuse("bad", new Refusal("too large for its topic", true));

        assertThatThrownBy(() -> letters.setAside(message(7, "bad"), GIVEN_UP))
                .isInstanceOf(IllegalStateException.class)
                .isNotInstanceOf(UnavailableException.class)
                .hasMessageContaining("too large for its topic");
    }

    @Test
    void nothingIsSentAfterClosing() {
        letters.close();

        assertThatThrownBy(() -> letters.setAside(message(7, "bad"), GIVEN_UP))
                .isInstanceOf(UnavailableException.class);
        assertThat(delivery.values()).isEmpty();
        assertThat(delivery.closed()).isOne();
    }

    /** A delivery may take half a minute while no broker answers: that would hold all workers. */
    @Test
    void oneThatIsUnderWayHoldsOthersForASecondAtMost() throws Exception {
        CountDownLatch isUnderWay = new CountDownLatch(1);
        CountDownLatch isAnswered = new CountDownLatch(1);
        delivery.afterWave(
                () -> {
                    isUnderWay.countDown();
                    try {
                        isAnswered.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(() -> letters.setAside(message(7, "first"), GIVEN_UP));
        isUnderWay.await();

        assertThatThrownBy(() -> letters.setAside(message(8, "second"), GIVEN_UP))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("another dead letter");

        isAnswered.countDown();
        first.get(10, TimeUnit.SECONDS);
        assertThat(delivery.values()).containsExactly("first");
    }

    @Test
    void whereNobodyWantsLettersThePartitionIsToStop() {
        assertThatThrownBy(() -> WorkHandler.SettingAside.NEVER.setAside(message(7, "x"), GIVEN_UP))
                .hasMessageContaining("not to be set aside");
        Message refused = Records.withoutRow(epoch, 3, "it has no key");
        assertThatThrownBy(() -> WorkHandler.SettingAside.NEVER.setAside(refused, null))
                .hasMessageContaining(Objects.requireNonNull(refused.refusal()));
    }
}
