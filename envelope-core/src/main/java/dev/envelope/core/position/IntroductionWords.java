package dev.envelope.core.position;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import java.time.Duration;
import org.apache.kafka.common.TopicPartition;

/** What {@link Introduction} tells an operator. */
final class IntroductionWords {

    private IntroductionWords() {}

    static String unknownGroup(String name) {
        return "the group has commits for topic "
                + name
                + ", but the database knows nothing of it. Either the database is new or"
                + " not the right one, or the group belonged to another consumer. Set"
                + " start.from=committed to go on from the commits, delete the group's"
                + " offsets to begin anew, or restore the database.";
    }

    /**
     * @param now how many partitions there are
     * @param more how many of them are new
     */
    static String added(TopicPartition partition, int now, int more, Duration grace) {
        String what = partition + " was added while its topic was in use. ";
        if (grace.isZero()) {
            return what
                    + "partition.grace=0: what a key has in it may be applied before what it had in"
                    + " another";
        }
        String waits =
                what
                        + "For "
                        + grace
                        + " (partition.grace) what it brings waits until what was sent before to the"
                        + " older ones is saved";
        return now % (now - more) == 0
                ? waits
                : waits
                        + ". The topic has grown from "
                        + (now - more)
                        + " to "
                        + now
                        + ", which is no multiple: keys have moved between older partitions as well,"
                        + " where nothing waits";
    }

    static String behindCut(Source source, NextOffset cut, int generation) {
        return "the log of "
                + source.partition()
                + " was truncated and written anew from "
                + cut
                + " on; on.log.truncated=continue takes what is there for new (generation "
                + generation
                + "), and the effects of at most "
                + Math.max(0, source.checkpoint().offset() - cut.offset())
                + " records that are not in it any more stay";
    }

    /** A generation that begins at the cut would leave out what is below it and not saved. */
    static String cutTooEarly(Source source, NextOffset cut) {
        return "the log of "
                + source.partition()
                + " was truncated and written anew from offset "
                + cut.offset()
                + " on, while offsets "
                + source.checkpoint().offset()
                + " to "
                + (cut.offset() - 1)
                + ", which are still in it, are not all saved. Restore the log, or start again to read"
                + " on from "
                + source.checkpoint().offset()
                + ": what is new from "
                + cut.offset()
                + " on is then applied, up to what stands at an offset that its key is past, which"
                + " stops the partition.";
    }
}
