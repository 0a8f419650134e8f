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

    /** Why a command was turned away, or nobody knows of it. */
    enum Reason {
        LIMITS("too many commands are under way, or they are too large together"),
        BROKERS("the brokers do not answer, or take nothing at present"),
        DATABASE("the database does not answer"),
        ENDING("the process is ending");

        private final String words;

        Reason(String words) {
            this.words = words;
        }

        /** For callers: they name no server. */
        public String words() {
            return words;
        }

        /** The same of a place. */
        public String words(String place) {
            return "place " + place + ": " + words;
        }
    }

    /**
     * It was not produced: a limit is reached, or brokers or database do not answer.
     *
     * @param why for operators, not for callers: it may name servers
     * @param place whose database does not answer, or has too much to do; empty where rows are not
     *     divided, and where it does not matter
     */
    record Busy(Reason reason, String why, String place) implements Outcome {

        public Busy(Reason reason, String why) {
            this(reason, why, "");
        }

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.busy(this);
        }
    }

    /**
     * It may be in the log or not. The same command with the same id may be sent again.
     *
     * @param why for operators, not for callers
     */
    record Unknown(Reason reason, String why) implements Outcome {

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
