package dev.envelope.app.ops.api;

import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.status.Holdup;
import dev.envelope.idempotency.store.operator.PauseCatalog.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the API looks at and turns in a running engine.
 *
 * <p>Threads: thread-safe; nothing in it waits for the engine. What stands in the database waits
 * for that.
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

    /**
     * Holds something back wherever it is read.
     *
     * @param time after which that ends by itself; without one, when it is resumed
     * @throws UnavailableException if the database can't be used
     */
    Answer pause(Kind kind, String name, Optional<Duration> time, String by);

    /**
     * Undoes that.
     *
     * @return false if it was not held back
     * @throws UnavailableException if the database can't be used
     */
    boolean resume(Kind kind, String name, String by);

    /**
     * What is held back, in whatever process.
     *
     * @throws UnavailableException if the database can't be used
     */
    Pauses pauses();

    /**
     * Whether a key is held back, in whatever process.
     *
     * @throws UnavailableException if the database can't be used
     */
    boolean isPaused(String key);

    /** Changes how many messages a second of any one key are handled; 0 for no bound. */
    void limitKeys(int messagesPerSecond);

    /**
     * The engine of a process.
     *
     * @param rows where what is to hold in every process stands
     */
    static Engine of(EnvelopeConsumer consumer, Rows rows) {
        Remembered<List<Holdup>> holdups = new Remembered<>(System::nanoTime);
        return new Engine() {
            @Override
            public List<Holdup> holdups() {
                return holdups.get(() -> consumer.inspector().holdups(consumer.status()));
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
            public Answer pause(Kind kind, String name, Optional<Duration> time, String by) {
                Answer answer = rows.ofPauses(catalog -> catalog.pause(kind, name, time, by));
                consumer.lookAtPauses();
                return answer;
            }

            @Override
            public boolean resume(Kind kind, String name, String by) {
                boolean wasHeldBack = rows.ofPauses(catalog -> catalog.resume(kind, name, by));
                consumer.lookAtPauses();
                return wasHeldBack;
            }

            @Override
            public Pauses pauses() {
                return rows.pauses();
            }

            @Override
            public boolean isPaused(String key) {
                return rows.ofPauses(catalog -> catalog.isPaused(Kind.KEY, key));
            }

            @Override
            public void limitKeys(int messagesPerSecond) {
                consumer.keys().limitTo(messagesPerSecond);
            }
        };
    }
}
