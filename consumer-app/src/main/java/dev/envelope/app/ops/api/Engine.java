package dev.envelope.app.ops.api;

import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Stage;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the API reads and changes in a running engine.
 *
 * <p>Threads: thread-safe; no call waits for the engine.
 */
public interface Engine {

    /** The message that each partition's committed offset waits for, the longest wait first. */
    List<Holdup> holdups();

    /** What a key is doing, if it is in a turn or waits. */
    Optional<Standing> standing(String key);

    /** The keys that wait, longest first, at most so many. */
    List<Map.Entry<String, Standing>> longestWaiting(int most);

    /** How many messages are at each stage of a turn. */
    Map<Stage, Integer> messagesByStage();

    /** How long ago a key began to do this. */
    Duration since(Standing standing);

    /** Changes the number of workers; a surplus worker ends after its present turn. */
    void resize(int workers);

    /** Pauses all partitions of this process until {@link #resumeAll}. */
    void pauseAll();

    /** Ends {@link #pauseAll}. */
    void resumeAll();

    /** Reads the pauses of the database at once, after a change. */
    void lookAtPauses();

    /** Sets how many messages per second are handled of any one key; 0 for no limit. */
    void limitKeys(int messagesPerSecond);

    /** The engine of a process. */
    static Engine of(EnvelopeConsumer consumer) {
        Supplier<List<Holdup>> holdups =
                Remembered.of(() -> consumer.inspector().holdups(consumer.status()));
        return new Engine() {
            @Override
            public List<Holdup> holdups() {
                return holdups.get();
            }

            @Override
            public Optional<Standing> standing(String key) {
                return consumer.inspector().standing(key);
            }

            @Override
            public List<Map.Entry<String, Standing>> longestWaiting(int most) {
                return consumer.inspector().longestWaiting(most);
            }

            @Override
            public Map<Stage, Integer> messagesByStage() {
                return consumer.pool().running().messagesByStage();
            }

            @Override
            public Duration since(Standing standing) {
                return consumer.inspector().since(standing);
            }

            @Override
            public void resize(int workers) {
                consumer.pool().resize(workers);
            }

            @Override
            public void pauseAll() {
                consumer.pauseAll();
            }

            @Override
            public void resumeAll() {
                consumer.resumeAll();
            }

            @Override
            public void lookAtPauses() {
                consumer.lookAtPauses();
            }

            @Override
            public void limitKeys(int messagesPerSecond) {
                consumer.keys().limitTo(messagesPerSecond);
            }
        };
    }
}
