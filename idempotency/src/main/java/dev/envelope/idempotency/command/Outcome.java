package dev.envelope.idempotency.command;

import dev.envelope.idempotency.store.reply.ReplyStore;

/** What a caller is told about its command. */
public sealed interface Outcome {

    /** It is in the log, and the caller did not want to wait. */
    record Accepted(LogPosition at) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.accepted(this);
        }
    }

    /**
     * It was handled: applied, parked or put out, as the answer says.
     *
     * @param isRepeated whether the answer was there when the caller came: nothing was produced
     */
    record Settled(ReplyStore.Answer answer, boolean isRepeated) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.settled(this);
        }
    }

    /** It is in the log, and was not handled in the caller's time. */
    record TimeOver(LogPosition at) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.timeOver(this);
        }
    }

    /**
     * It was not produced: the key's messages are in another partition of the topic, and a record
     * in this one would be in no order with them.
     *
     * @param there a partition that the row has applied messages of
     * @param here the one that our partitioner gives
     */
    record OtherPartition(String topic, int there, int here) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.otherPartition(this);
        }
    }

    /** It was not produced: a limit is reached, or brokers or database do not answer. */
    record Busy(String why) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.busy(this);
        }
    }

    /** It may be in the log or not. The same command with the same id may be sent again. */
    record Unknown(String why) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.unknown(this);
        }
    }

    /** It was not produced and never will be, for instance because it is too large. */
    record Refused(String why) implements Outcome {

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.refused(this);
        }
    }

    /** What is done in each case. */
    interface Cases<R> {

        R accepted(Accepted it);

        R settled(Settled it);

        R timeOver(TimeOver it);

        R otherPartition(OtherPartition it);

        R busy(Busy it);

        R unknown(Unknown it);

        R refused(Refused it);
    }

    /** Calls the function of its case. */
    <R> R match(Cases<R> cases);
}
