package dev.envelope.app.process;

import dev.envelope.app.ops.api.Engine;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Applies settings that are changed while the process runs: at once or, before there is an engine,
 * as soon as there is one.
 *
 * <p>Threads: guarded by this.
 */
final class Knobs {

    private Optional<Engine> engine = Optional.empty();
    private OptionalInt workers = OptionalInt.empty();
    private OptionalInt keyRate = OptionalInt.empty();

    /** Applies the settings to this engine from now on. */
    synchronized void attach(Engine its) {
        workers.ifPresent(its::resize);
        keyRate.ifPresent(its::limitKeys);
        engine = Optional.of(its);
    }

    /** Sets the number of workers. */
    synchronized void resize(int number) {
        workers = OptionalInt.of(number);
        engine.ifPresent(it -> it.resize(number));
    }

    /** Sets how many messages per second are handled of any one key. */
    synchronized void limitKeys(int messagesPerSecond) {
        keyRate = OptionalInt.of(messagesPerSecond);
        engine.ifPresent(it -> it.limitKeys(messagesPerSecond));
    }
}
