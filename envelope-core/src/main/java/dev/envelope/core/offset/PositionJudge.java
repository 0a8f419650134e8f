package dev.envelope.core.offset;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Commit;
import java.util.Optional;

/**
 * Decides between what the database, the group and the log say of one partition. It asks nobody.
 *
 * <p>Threads: immutable.
 */
final class PositionJudge {

    private final PositionPolicy policy;

    PositionJudge(PositionPolicy policy) {
        this.policy = policy;
    }

    /** Either a place with a remark, or a refusal. */
    private record Verdict(NextOffset next, String remark, String refusal) {

        static Verdict at(NextOffset next, String remark) {
            return new Verdict(next, remark, "");
        }

        static Verdict refuse(NextOffset next, String refusal) {
            return new Verdict(next, "", refusal);
        }

        boolean isRefusal() {
            return !refusal.isEmpty();
        }
    }

    /**
     * Where the partition is to be read from.
     *
     * @param first where the log begins now
     * @param end where it ends now
     * @param life the life of the database that the checkpoint was read in
     */
    Position decide(
            Source source,
            Optional<Commit> commit,
            NextOffset first,
            NextOffset end,
            Incarnation life) {
        Verdict verdict = betweenCheckpointAndCommit(source, commit);
        if (!verdict.isRefusal()) {
            verdict = withinLog(verdict, source, first, end);
        }
        return verdict.isRefusal()
                ? new Position.Refused(verdict.refusal())
                : new Position.Found(
                        source.number(),
                        verdict.next(),
                        life,
                        source.checkpoint().offset(),
                        verdict.remark());
    }

    private Verdict betweenCheckpointAndCommit(Source source, Optional<Commit> commit) {
        NextOffset checkpoint = source.checkpoint();
        if (commit.isEmpty() || commit.get().next().offset() == checkpoint.offset()) {
            return Verdict.at(checkpoint, "");
        }
        NextOffset committed = commit.get().next();
        if (committed.compareTo(checkpoint) < 0) {
            return Verdict.at(committed, ""); // read again; the marks absorb it
        }
        String ahead =
                "the group's commit for "
                        + source.partition()
                        + " ("
                        + committed
                        + ") is ahead of the database ("
                        + checkpoint
                        + ")";
        if (Stamp.isOurs(commit.get())) {
            return Verdict.at(checkpoint, ahead + ": the database went back; going back with it");
        }
        return switch (policy.onOffsetAhead()) {
            case FOLLOW ->
                    Verdict.at(committed, ahead + "; on.offset.ahead=follow skips what is between");
            case REWIND -> Verdict.at(checkpoint, ahead + "; on.offset.ahead=rewind ignores it");
            case STOP ->
                    Verdict.refuse(
                            checkpoint,
                            ahead
                                    + " and was not made by this application. Set"
                                    + " on.offset.ahead=follow to skip what is between, or rewind to"
                                    + " apply it.");
        };
    }

    private Verdict withinLog(Verdict verdict, Source source, NextOffset first, NextOffset end) {
        NextOffset next = verdict.next();
        if (next.compareTo(end) > 0) {
            return Verdict.refuse(
                    next,
                    "the log of "
                            + source.partition()
                            + " ends at "
                            + end
                            + ", below what the database has applied ("
                            + next
                            + "): it was truncated, or it is another log");
        }
        if (next.compareTo(first) >= 0) {
            return verdict;
        }
        if (source.checkpoint().compareTo(first) >= 0) {
            return Verdict.at(first, verdict.remark()); // what is gone had been applied
        }
        NextOffset applied = next.compareTo(source.checkpoint()) > 0 ? next : source.checkpoint();
        String gone =
                "offsets "
                        + applied.offset()
                        + " to "
                        + (first.offset() - 1)
                        + " of "
                        + source.partition()
                        + " (at most "
                        + (first.offset() - applied.offset())
                        + " records) are gone from the log and were never applied";
        return policy.onGap() == PositionPolicy.Gap.EARLIEST
                ? Verdict.at(first, gone + "; on.gap=earliest goes on behind them")
                : Verdict.refuse(
                        next, gone + ". Set on.gap=earliest to accept the loss and go on.");
    }
}
