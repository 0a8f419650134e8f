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

    private static MalformedException failed(Throwable why) {
        return new MalformedException("the state's codec failed: " + Words.describe(why), why);
    }
}
