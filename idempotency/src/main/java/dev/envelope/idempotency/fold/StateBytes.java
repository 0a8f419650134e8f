package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Words;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes states as the bytes in a row, up to a maximum size. Whatever a codec throws
 * becomes one of two exceptions: the state can't be written, or it can't be read.
 *
 * @param <S> the state of a key
 */
final class StateBytes<S> {

    private final StateCodec<S> codec;
    private final int most;

    StateBytes(StateCodec<S> codec, int most) {
        this.codec = codec;
        this.most = most;
    }

    Class<?> codec() {
        return codec.getClass();
    }

    /**
     * Reads a row's state. If it can't be read, no message is at fault: another version of the
     * handler wrote it.
     */
    @Nullable S read(byte @Nullable [] saved) throws UnreadableStateException {
        try {
            return saved == null ? null : codec.decode(saved);
        } catch (UnreadableStateException e) {
            throw e;
        } catch (MalformedException e) {
            throw UnreadableStateException.damaged(saved, e);
        } catch (OutOfMemoryError e) {
            throw e; // says nothing about the state; the process is to end
        } catch (RuntimeException | Error e) {
            throw UnreadableStateException.ofOtherVersion(e);
        }
    }

    /**
     * @throws MalformedException if the codec can't write it, or it is too large
     */
    byte[] write(S state) {
        byte[] json;
        try {
            json = codec.encode(state);
        } catch (MalformedException | OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) { // one state must not end the process
            throw failed(e);
        }
        if (json.length > most) {
            throw new MalformedException(
                    "the state would have "
                            + json.length
                            + " bytes, more than state.max.bytes="
                            + most);
        }
        return json;
    }

    /**
     * A state that a person has written, in the form that the codec writes.
     *
     * @throws MalformedException if the codec can't read it, or it is too large
     */
    byte[] canonical(byte[] json) {
        S state;
        try {
            state = codec.decodeStrictly(json);
        } catch (MalformedException | OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
        return write(state);
    }

    /** The state of a key during one run. */
    Running running(byte @Nullable [] saved, @Nullable S live) {
        return new Running(saved, live);
    }

    /**
     * The state of a key during one run; read from the row's bytes when a message first needs it.
     *
     * <p>Threads: one thread, one run.
     */
    final class Running {

        private final byte @Nullable [] saved;
        private @Nullable S live;
        private boolean isRead;

        /**
         * @param saved the state's bytes in the row
         * @param live the object that these bytes are; null if there is none
         */
        private Running(byte @Nullable [] saved, @Nullable S live) {
            this.saved = saved;
            this.live = live;
            this.isRead = live != null;
        }

        /** The state for the next message. */
        @Nullable S now() throws MessageFailed {
            if (!isRead) {
                try {
                    live = read(saved);
                } catch (UnreadableStateException e) {
                    throw new MessageFailed(e, true);
                }
                isRead = true;
            }
            return live;
        }

        /** A message has made this of it. */
        void becomes(@Nullable S next) {
            live = next;
        }

        /** The object; null if there is no state, or nobody has needed it. */
        @Nullable S live() {
            return live;
        }

        /** The bytes to save; those of the row if nobody has needed the state. */
        byte @Nullable [] encoded() {
            if (!isRead) {
                return saved;
            }
            @Nullable S now = live;
            return now == null ? null : write(now);
        }
    }

    private static MalformedException failed(Throwable why) {
        return new MalformedException("the state's codec failed: " + Words.describe(why), why);
    }
}
