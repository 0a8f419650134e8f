package dev.envelope.app.process;

import dev.envelope.app.ops.api.Engine;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Settings that a person changes while the process runs. They take effect at once or, where they
 * are changed before there is an engine, as soon as there is one.
 *
 * <p>Threads: guarded by this.
 */
final class Knobs {

    private Optional<Engine> engine = Optional.empty();
    private OptionalInt workers = OptionalInt.empty();
    private OptionalInt keyRate = OptionalInt.empty();

    /** From now on it is this engine that they are for. */
    synchronized void attach(Engine its) {
        workers.ifPresent(its::resize);
        keyRate.ifPresent(its::limitKeys);
        engine = Optional.of(its);
    }

    /** How many workers there are to be. */
    synchronized void resize(int number) {
        workers = OptionalInt.of(number);
        engine.ifPresent(it -> it.resize(number));
    }

    /** How many messages a second of any one key are handled. */
    synchronized void limitKeys(int messagesPerSecond) {
        keyRate = OptionalInt.of(messagesPerSecond);
        engine.ifPresent(it -> it.limitKeys(messagesPerSecond));
    }
}
