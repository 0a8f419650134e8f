package dev.envelope.idempotency.work;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.Delivery;
import dev.envelope.idempotency.outbox.Delivery.Refusal;
import dev.envelope.idempotency.store.row.OutboxRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages that are given up to a topic, and waits until all in-sync replicas have them. A
 * message may get there more than once, with the same id each time. Dead letters are rare: they are
 * sent one after the other.
 *
 * <p>Threads: thread-safe (a lock).
 */
public final class ToDeadLetters implements WorkHandler.SettingAside, AutoCloseable {

    private final DeadLetters letters;
    private final Delivery delivery;
    private final String applicationId;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean isClosed; // guarded by the lock

    /**
     * @param delivery closed with this
     */
    public ToDeadLetters(DeadLetters letters, Delivery delivery, String applicationId) {
        this.letters = letters;
        this.delivery = delivery;
        this.applicationId = applicationId;
    }

    @Override
    public void setAside(Message message, @Nullable GivenUp givenUp) {
        OutboxRecord letter =
                givenUp == null
                        ? letters.ofRefused(message, "refused", String.valueOf(message.refusal()))
                        : letters.ofFailed(
                                message,
                                SetAside.reason(givenUp.cause()),
                                SetAside.kind(givenUp.cause()),
                                givenUp.cause(),
                                givenUp.attempts());
        Headers headers = letter.headers();
        headers.add(
                DeadLetters.ID, WorkId.of(applicationId, message).getBytes(StandardCharsets.UTF_8));
        send(new ProducerRecord<>(letter.topic(), null, letter.key(), letter.value(), headers));
    }

    private void send(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        Optional<Refusal> refusal;
        awaitTurn();
        try {
            if (isClosed) {
                throw new UnavailableException("nothing is sent any more");
            }
            refusal = delivery.deliver(List.of(record)).get(0);
            if (refusal.isPresent()) {
                delivery.close(); // so that nothing in flight arrives besides the next try
            }
        } finally {
            lock.unlock();
        }
        if (refusal.isPresent()) {
            String why = "a dead letter was not delivered: " + refusal.get().why();
            throw refusal.get().onlyThis()
                    ? new IllegalStateException(why) // its partition stops
                    : new UnavailableException(why);
        }
    }

    /** Not for as long as a delivery may take: the workers have other messages, too. */
    private void awaitTurn() {
        try {
            if (!lock.tryLock(1, TimeUnit.SECONDS)) {
                throw new UnavailableException("another dead letter is being sent");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", e);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            delivery.close();
        } finally {
            lock.unlock();
        }
    }
}
