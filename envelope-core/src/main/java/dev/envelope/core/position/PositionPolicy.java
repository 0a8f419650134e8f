package dev.envelope.core.position;

import java.time.Duration;

/**
 * What is decided by a person where the log and the database disagree.
 *
 * @param startFrom for topics that the database has never seen
 * @param onOffsetAhead when the group's commit is ahead of the database by an operator's hand
 * @param onGap when records that were not yet read are gone from the log
 * @param onTopicRecreated when a topic has another id than the one that was read
 * @param onLogTruncated when records that were applied are not in the log any more
 * @param partitionGrace how long producers may not know of partitions that were added; zero if what
 *     these bring need not wait for the older ones
 */
public record PositionPolicy(
        StartFrom startFrom,
        OffsetAhead onOffsetAhead,
        Gap onGap,
        TopicRecreated onTopicRecreated,
        LogTruncated onLogTruncated,
        Duration partitionGrace) {

    private static final Duration GRACE = Duration.ofMinutes(10);

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

    /** For a log whose end was cut off and written anew. */
    public enum LogTruncated {
        STOP,
        /** What is behind the cut is new; the effects of what is not in the log any more stay. */
        CONTINUE
    }

    /** Stops wherever a person could decide otherwise. */
    public PositionPolicy(StartFrom startFrom, OffsetAhead onOffsetAhead, Gap onGap) {
        this(startFrom, onOffsetAhead, onGap, TopicRecreated.STOP, LogTruncated.STOP, GRACE);
    }

    public PositionPolicy with(TopicRecreated other) {
        return new PositionPolicy(
                startFrom, onOffsetAhead, onGap, other, onLogTruncated, partitionGrace);
    }

    public PositionPolicy with(LogTruncated other) {
        return new PositionPolicy(
                startFrom, onOffsetAhead, onGap, onTopicRecreated, other, partitionGrace);
    }

    public PositionPolicy withGrace(Duration other) {
        return new PositionPolicy(
                startFrom, onOffsetAhead, onGap, onTopicRecreated, onLogTruncated, other);
    }
}
