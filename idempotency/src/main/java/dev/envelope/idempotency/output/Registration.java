package dev.envelope.idempotency.output;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process is as a relay, to Postgres and to Kafka, and what has to be done before it may
 * send a batch.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Registration {

    private static final Logger log = LoggerFactory.getLogger(Registration.class);

    /** What is to be done next. */
    private enum Step {
        /** Get a number from the store. */
        REGISTER,
        /** Get transactional ids, and record them. No batch is open. */
        OPEN,
        /** Ask the store: it may have opened a batch, or another relay has taken this one over. */
        LOOK,
        /** Find out whether the last batch was committed, and end it. */
        RESOLVE,
        /** Nothing: batches can be sent. */
        SEND
    }

    /**
     * @param own null before it is registered
     * @param ids the transactional ids under which its last batch may be in Kafka
     */
    private record Standing(Step step, @Nullable Own own, List<String> ids) {

        Standing next(Step other) {
            return new Standing(other, own, ids);
        }

        Own registered() {
            if (own == null) {
                throw new InvariantViolation("a relay without a number");
            }
            return own;
        }
    }

    private static final Standing UNKNOWN = new Standing(Step.REGISTER, null, List.of());

    private final OutputStore store;
    private final OutputSender sender;
    private final Resolution resolution;
    private Standing now = UNKNOWN;

    Registration(OutputStore store, OutputSender sender, Resolution resolution) {
        this.store = store;
        this.sender = sender;
        this.resolution = resolution;
    }

    /** Whether batches can be sent. */
    boolean isReady() {
        return now.step() == Step.SEND;
    }

    /** Whether the store has given it a number. */
    boolean isRegistered() {
        return now.own() != null;
    }

    /** The registered relay. */
    Own own() {
        return now.registered();
    }

    /** The transactional ids under which its last batch may be in Kafka. */
    List<String> ids() {
        return now.ids();
    }

    /**
     * Does what is to be done next.
     *
     * @return whether it is another relay now than before
     */
    boolean step() {
        switch (now.step()) {
            case REGISTER -> {
                now = new Standing(Step.OPEN, store.register(), List.of());
                return true;
            }
            case OPEN -> open(now.registered());
            case LOOK -> become(Step.SEND, store.look(now.registered()));
            case RESOLVE -> become(Step.OPEN, resolution.resolveOwn(now.registered(), now.ids()));
            case SEND -> {
                // Nothing.
            }
        }
        return false;
    }

    private void open(Own own) {
        KafkaAwayException.orThrow(
                () -> {
                    sender.open(own.batch());
                    return own;
                });
        List<String> ids = sender.ids();
        // Recorded after Kafka knows them: so nobody who fences them comes too early.
        if (store.under(own, ids)) {
            now = new Standing(Step.SEND, own, ids);
        } else {
            isTakenOver();
        }
    }

    private void become(Step next, Optional<Own> own) {
        if (own.isEmpty()) {
            isTakenOver();
        } else {
            List<String> ids = next == Step.OPEN ? List.of() : now.ids();
            now = new Standing(next, own.get(), ids);
        }
    }

    private void isTakenOver() {
        log.info(
                "another relay serves relay {} now: this process registers as a new one",
                now.registered().number());
        now = UNKNOWN;
    }

    /** Asks the store for what has changed: whom it serves, or that another relay serves it. */
    void look() {
        become(now.step(), store.look(now.registered()));
    }

    /** The store has opened the next batch. */
    void opened() {
        Own own = now.registered();
        now =
                new Standing(
                        Step.SEND,
                        new Own(own.number(), own.batch() + 1, own.served(), own.life()),
                        now.ids());
    }

    /** Nothing is under way in Kafka, but the store may know another batch than we do. */
    void isUnsure() {
        now = now.next(Step.LOOK);
    }

    /** It is not known whether the last batch was committed, or no other can be sent. */
    void isUnresolved() {
        now = now.next(Step.RESOLVE);
    }

    /** Kafka has answered: the batch is committed, or certainly not. */
    void isResolved() {
        now = now.next(Step.SEND);
    }

    /** The database is in another life. */
    void forget() {
        now = UNKNOWN;
    }
}
