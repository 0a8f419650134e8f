package dev.envelope.core.offset;

/**
 * What is decided by a person where the log and the database disagree.
 *
 * @param startFrom for topics that the database has never seen
 * @param onOffsetAhead when the group's commit is ahead of the database by an operator's hand
 * @param onGap when records that were not yet read are gone from the log
 * @param onTopicRecreated when a topic has another id than the one that was read
 */
public record PositionPolicy(
        StartFrom startFrom,
        OffsetAhead onOffsetAhead,
        Gap onGap,
        TopicRecreated onTopicRecreated) {

    /** For a commit that somebody has moved ahead of the checkpoint. */
    public enum OffsetAhead {
        STOP,
        /** Believe the commit: what lies between is skipped. */
        FOLLOW,
        /** Believe the database. */
        REWIND
    }

    /** For records that retention has removed before they were read. */
    public enum Gap {
        STOP,
        /** Go on with the first record that is left; the loss is said and counted. */
        EARLIEST
    }

    /** For a topic that was deleted and made again under its name. */
    public enum TopicRecreated {
        STOP,
        /** It is another log: all of it is read, and what was applied of the former counts not. */
        CONTINUE,
        /** It is the same log under another id, after a move to another cluster. */
        ADOPT
    }

    /** Stops wherever a person could decide otherwise. */
    public PositionPolicy(StartFrom startFrom, OffsetAhead onOffsetAhead, Gap onGap) {
        this(startFrom, onOffsetAhead, onGap, TopicRecreated.STOP);
    }

    public PositionPolicy with(TopicRecreated other) {
        return new PositionPolicy(startFrom, onOffsetAhead, onGap, other);
    }
}
