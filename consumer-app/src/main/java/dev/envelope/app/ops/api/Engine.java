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
 * What the API looks at and turns in a running engine.
 *
 * <p>Threads: thread-safe; nothing in it waits for the engine.
 */
public interface Engine {

    /** What each partition's committed offset waits for, the longest first. */
    List<Holdup> holdups();

    /** What a key is doing, if it is in a turn or something keeps it waiting. */
    Optional<Standing> standing(String key);

    /** The keys that something keeps waiting, longest first, at most so many. */
    List<Map.Entry<String, Standing>> longestWaiting(int most);

    /** How many messages are at each stage of a turn. */
    Map<Stage, Integer> messagesByStage();

    /** How long ago that began. */
    Duration since(Standing standing);

    /** Changes the number of workers; a surplus worker ends after the turn that it is in. */
    void resize(int workers);

    /** Fetches nothing more in this process until that is undone. */
    void pauseAll();

    /** Undoes that. */
    void resumeAll();

    /** Looks at once at what is held back, as that was changed. */
    void lookAtPauses();

    /** Changes how many messages a second of any one key are handled; 0 for no bound. */
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
