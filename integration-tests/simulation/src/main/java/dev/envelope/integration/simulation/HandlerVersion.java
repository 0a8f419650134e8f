package dev.envelope.integration.simulation;

import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;

/** Versions of the handler that run beside each other while processes are replaced. */
enum HandlerVersion {
    /** Knows which messages were applied, and nothing else. */
    OLD {
        @Override
        StateCodec<Trace> codec() {
            return OF_THE_OLD;
        }
    },

    /** Writes into each state that it folds since when it has done so. */
    NEW {
        @Override
        StateCodec<Trace> codec() {
            return Trace.CODEC;
        }
    };

    private static final StateCodec<Trace> OF_THE_OLD =
            new StateCodec<>() {
                @Override
                public byte[] encode(Trace state) {
                    return Trace.CODEC.encode(state);
                }

                @Override
                public Trace decode(byte[] json) {
                    Trace state = Trace.CODEC.decode(json);
                    if (state.isMarked()) {
                        throw UnreadableStateException.ofOtherVersion("it has the field 'since'");
                    }
                    return state;
                }
            };

    abstract StateCodec<Trace> codec();
}
