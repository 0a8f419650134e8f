package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.HANDLE;
import static dev.envelope.app.config.key.Key.Trait.MATTERS;
import static dev.envelope.app.config.value.Places.httpUrl;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.oneOf;

import dev.envelope.core.key.Ordering;
import java.net.URI;
import java.time.Duration;

/** The settings of handlers that keep no rows. */
public final class WorkKeys {

    /** What is kept of messages. */
    public enum Mode {
        /** A row for each key. */
        ROWS,
        /** Nothing: each message is a call. */
        WORK
    }

    /** How it is known that a message is done. */
    public enum Dedupe {
        /** From the group's commits alone. */
        NONE,
        /** From a mark in the database, in the transaction of what the handler writes. */
        STORE
    }

    static final Keys KEYS = new Keys(HANDLE);

    /** Whether a setting means nothing to a handler that keeps no rows. */
    public static boolean isIdle(Key<?> key, boolean isDeduped) {
        return key.isOfRows() && !(isDeduped && key.isOfStore());
    }

    public static final Key<Mode> MODE =
            KEYS.add("mode", oneOf(Mode.class), "rows")
                    .is(MATTERS)
                    .means(
                            "Whether the handler keeps a row for each key (rows), or does something"
                                    + " with each message and keeps none (work). With work no database"
                                    + " is needed, and each message is handled at least once; see"
                                    + " dedupe for more.");

    public static final Key<Ordering.By> ORDERING =
            KEYS.add("ordering", oneOf(Ordering.By.class), "key")
                    .means(
                            "Which messages are handled one after the other, with mode=work: those"
                                    + " of a key, those of a partition, or none: then a message that"
                                    + " fails holds up only itself, and needs no key.");

    public static final Key<Dedupe> DEDUPE =
            KEYS.add("dedupe", oneOf(Dedupe.class), "none")
                    .means(
                            "With mode=work, whether each message is marked as done in the database"
                                    + " of store.url (store), in the transaction in which the handler"
                                    + " writes: what it writes through the connection that it is"
                                    + " given is there once. The handler is a class that implements"
                                    + " WorkInTransaction or WorkBatchInTransaction.");

    public static final Key<Integer> BATCH_MAX_MESSAGES =
            KEYS.add("batch.max.messages", wholeNumber(1, 10_000))
                    .orElse(
                            "1 with handler=http; 100 with a class that implements WorkBatch or"
                                    + " WorkBatchInTransaction")
                    .example("100")
                    .means(
                            "With mode=work, how many messages a call may have that wait at the same"
                                    + " time: of one key, of a partition, or with ordering=none"
                                    + " neighbours of a partition. If more than one, handler=http"
                                    + " posts arrays. After a failed call each message is tried by"
                                    + " itself. A class that implements Work or WorkInTransaction gets one at a"
                                    + " time.");

    public static final Key<URI> HTTP_URL =
            KEYS.add("handler.http.url", httpUrl())
                    .example("http://localhost:8081/payments")
                    .means(
                            "Where handler=http posts each message's value. 2xx: it is done. 429, 503, 401,"
                                    + " 407 and no connection, and as long as nothing was taken yet"
                                    + " 403, 404 and 405: all wait, for Retry-After or longer each"
                                    + " time, and no attempt is counted. 408, 425, other 5xx, no answer"
                                    + " in time and a connection that breaks: a failed attempt. All"
                                    + " else, redirects too: on.failure decides at once. The header"
                                    + " Idempotency-Key is the same each time.");

    public static final Key<Duration> HTTP_TIMEOUT =
            KEYS.add("handler.http.timeout", duration("10ms", "1h"), "10s")
                    .means(
                            "How long handler=http waits for an answer; shorter than handler.timeout.");

    public static final Key<Integer> HTTP_MAX_RATE =
            KEYS.add("handler.http.max.rate", wholeNumber(0, 1_000_000), "0")
                    .example("100")
                    .lowerIf("the server allows fewer requests, divided by the processes")
                    .means(
                            "How many requests a second handler=http makes in this process. A"
                                    + " message over the limit waits, with its key, without a worker"
                                    + " and without a failed attempt. 0: no limit.");

    private WorkKeys() {}
}
