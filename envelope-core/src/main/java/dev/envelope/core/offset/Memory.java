package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.Telemetry;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the commits of a partition remember where there is no database: which records behind the
 * committed offset are done. What does not fit into a commit is forgotten, and done again after a
 * restart.
 *
 * <p>Threads: poll thread only.
 */
public final class Memory {

    private static final Logger log = LoggerFactory.getLogger(Memory.class);

    /** What brokers take by default ({@code offset.metadata.max.bytes}), less what precedes it. */
    private static final int MOST_CHARACTERS = 4_096 - 64;

    private final Uuid topicId;
    private final DoneAhead before;
    private final int partitionsAtFirst;
    private final Telemetry telemetry;
    private long acksTold = -1; // in the commit that is under way
    private long acksCommitted = -1;
    private boolean saidThatItForgets;
    private int mostCharacters = MOST_CHARACTERS;

    /**
     * The first record of a later leader epoch than that of {@link #before}, as far as was read.
     */
    private long firstLater = Long.MAX_VALUE;

    /**
     * @param topicId of the log; the same offsets of another topic of its name mean other records
     * @param before what was done ahead when the partition was positioned
     * @param partitionsAtFirst how many the topic had when reading it began; 0 if nobody knows
     */
    public Memory(Uuid topicId, DoneAhead before, int partitionsAtFirst, Telemetry telemetry) {
        this.topicId = topicId;
        this.before = before;
        this.partitionsAtFirst = partitionsAtFirst;
        this.telemetry = telemetry;
    }

    /** Whether a record that comes now is done; they come in their order. */
    boolean has(long offset, int leaderEpoch) {
        if (leaderEpoch > before.leaderEpoch()) {
            firstLater = Math.min(firstLater, offset);
        }
        return leaderEpoch <= before.leaderEpoch() && before.contains(offset);
    }

    /**
     * Whether no commit says yet where reading began, or something is done ahead that none says.
     */
    boolean hasNews(OffsetLedger ledger) {
        return acksCommitted < 0 || (ledger.hasDoneAhead() && ledger.acks() != acksCommitted);
    }

    OffsetAndMetadata stamped(NextOffset next, OffsetLedger ledger) {
        DoneAhead.Builder sinceThen = new DoneAhead.Builder();
        sinceThen.add(next.offset(), ledger.committable().offset());
        DoneAhead now = ledger.doneAhead();
        boolean isOfOneEpoch = now.leaderEpoch() <= before.leaderEpoch();
        // What comes under a later leader may be other records; what was read before that is not.
        long known = Math.min(firstLater, ledger.position().offset());
        DoneAhead ahead =
                (isOfOneEpoch ? before : before.below(known))
                        .and(now, next.offset())
                        .and(sinceThen.build(now.leaderEpoch()), 0);
        DoneAhead.Text text = ahead.text(next.offset(), mostCharacters);
        acksTold = ledger.acks();
        if (text.leftOut() > 0) {
            forgets(next, text);
        }
        return Stamp.remembering(next, topicId, text.text(), partitionsAtFirst);
    }

    private void forgets(NextOffset next, DoneAhead.Text text) {
        telemetry.commitWasFull();
        if (!saidThatItForgets) {
            saidThatItForgets = true;
            log.info(
                    "more is done behind offset {} than a commit can say: after a restart that of {}"
                            + " ranges of records would be repeated",
                    next.offset(),
                    text.leftOut());
        }
    }

    void committed() {
        acksCommitted = acksTold;
    }

    /** The brokers take less than they do by default. */
    void remembersLess() {
        mostCharacters /= 2;
    }
}
