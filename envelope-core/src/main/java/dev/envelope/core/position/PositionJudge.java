package dev.envelope.core.position;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.offset.Stamp;
import dev.envelope.core.offset.TopicAdmin.Commit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides between what the database, the group and the log say of one partition. It asks nobody.
 */
final class PositionJudge {

    private static final String TRUNCATED =
            ". Restore the log, or set on.log.truncated=continue to take what it holds from there on"
                    + " for new; the effects of what is not in it any more stay.";

    private final PositionPolicy policy;

    PositionJudge(PositionPolicy policy) {
        this.policy = policy;
    }

    /** Either a place with a remark, or a refusal. */
    private record Verdict(NextOffset next, List<Skip> skips, String remark, String refusal) {

        static Verdict at(NextOffset next, String remark) {
            return new Verdict(next, List.of(), remark, "");
        }

        static Verdict refuse(NextOffset next, String refusal) {
            return new Verdict(next, List.of(), "", refusal);
        }

        /** The same place or one behind it, since something is left out. */
        Verdict skipping(Skip skip, NextOffset to, String why) {
            List<Skip> all = new ArrayList<>(skips);
            all.add(skip);
            return new Verdict(to, all, remark.isEmpty() ? why : remark + ". " + why, refusal);
        }

        boolean isRefusal() {
            return !refusal.isEmpty();
        }
    }

    /**
     * What is known of one partition.
     *
     * @param formerSources those of the same log before truncations of it were accepted
     * @param diverged what was seen of its log while it was read
     * @param first where the log begins now
     * @param end where it ends now
     */
    record Case(
            Source source,
            Set<Integer> formerSources,
            Optional<Commit> commit,
            Optional<Divergence> diverged,
            NextOffset first,
            NextOffset end) {}

    /**
     * Where the partition is to be read from.
     *
     * @param life the life of the database that the checkpoint was read in
     */
    Position decide(Case of, Incarnation life) {
        Source source = of.source();
        Verdict verdict = betweenCheckpointAndCommit(source, of.commit(), of.first());
        Optional<Divergence> diverged = of.diverged().filter(it -> it.isOf(source));
        if (diverged.isPresent()) {
            verdict = diverged(verdict, source, diverged.get());
        }
        if (!verdict.isRefusal()) {
            verdict = withinLog(verdict, source, of.first(), of.end());
        }
        return verdict.isRefusal()
                ? new Position.Refused(verdict.refusal())
                : new Position.Found(
                        source.number(),
                        of.formerSources(),
                        source.topicId(),
                        verdict.next(),
                        life,
                        source.checkpoint(),
                        source.durable(),
                        verdict.skips(),
                        null,
                        Optional.empty(),
                        verdict.remark());
    }

    /** The log is of the topic id that was read, and yet not the same. */
    private static Verdict diverged(Verdict verdict, Source source, Divergence divergence) {
        if (divergence.cut().isEmpty()) {
            String what =
                    "the log of "
                            + source.partition()
                            + " is another one than was read, but its topic's id is still the same";
            if (divergence.isOld()) {
                return Verdict.refuse(
                        verdict.next(),
                        what
                                + ": it was written anew under its id. What was applied of it ends at "
                                + source.checkpoint()
                                + ". Restore the log and start again, or delete the topic and create"
                                + " it again and set on.topic.recreated=continue to read all of it"
                                + " as new.");
            }
            // Leader epochs never fall within a log: the id that the broker shows is an old one.
            throw new UnavailableException(what);
        }
        return Verdict.refuse(
                verdict.next(),
                "the log of "
                        + source.partition()
                        + " was truncated and written anew from offset "
                        + divergence.cut().get().offset()
                        + " on (its checkpoint is "
                        + source.checkpoint()
                        + "): what was applied is not what it holds"
                        + TRUNCATED);
    }

    private Verdict betweenCheckpointAndCommit(
            Source source, Optional<Commit> commit, NextOffset first) {
        NextOffset checkpoint = source.checkpoint();
        if (commit.isEmpty() || commit.get().next().offset() == checkpoint.offset()) {
            return Verdict.at(checkpoint, "");
        }
        NextOffset committed = commit.get().next();
        int of = Stamp.source(commit.get()).orElse(source.number());
        if (of != source.number()) {
            return ofOther(source, committed, of);
        }
        if (committed.compareTo(checkpoint) < 0) {
            if (isOfLaterLog(committed, checkpoint)) {
                return Verdict.at(checkpoint, "");
            }
            return behindCheckpoint(source, committed, first);
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
                    Verdict.at(committed, "")
                            .skipping(
                                    new Skip(
                                            Skip.Cause.OPERATOR,
                                            checkpoint.offset(),
                                            committed.offset()),
                                    committed,
                                    ahead + "; on.offset.ahead=follow skips what is between");
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

    /**
     * Leader epochs never fall within a log: somebody has read on in one that was cut below the
     * checkpoint, and nobody has noticed. Who is sent to the checkpoint does.
     */
    private static boolean isOfLaterLog(NextOffset committed, NextOffset checkpoint) {
        return checkpoint.leaderEpoch() != NextOffset.NO_EPOCH
                && committed.leaderEpoch() > checkpoint.leaderEpoch();
    }

    /**
     * What lies between is read again, and the marks absorb it. But nothing below the source's
     * start is read, in whatever generation:
     *
     * <ul>
     *   <li>In the first one it is what {@code start.from} left out. A key that has a row would
     *       drop it, for it is below the row's mark, and a key without a row would apply it: half
     *       of the history.
     *   <li>In a later one it is what was in the log before a truncation that a person accepted. It
     *       was saved before that ({@link Introduction} begins nothing at a cut above the
     *       checkpoint) or left out by the former's start, and its marks name the former: read as
     *       of the present one it would be applied again. Where the cut is below the former's
     *       start, so is the present start: what is behind the cut was written later, and is new.
     * </ul>
     *
     * <p>It is no gap: nothing below the start was ever to be applied as of this source. Where the
     * log has nothing there any more, nothing is left out, and nothing is said.
     */
    private static Verdict behindCheckpoint(Source source, NextOffset committed, NextOffset first) {
        NextOffset start = source.start();
        if (committed.compareTo(start) >= 0) {
            return Verdict.at(committed, "");
        }
        String what =
                "the group's commit for "
                        + source.partition()
                        + " ("
                        + committed
                        + ") is below where reading it began ("
                        + start
                        + "): reading goes on there. ";
        String why =
                source.generation() == 0
                        ? "What is below was left out by start.from; applied now, it would reach only"
                                + " the keys that have no row. To have it in the rows, read the topic"
                                + " under another application.id with start.from=earliest"
                        : "It is where generation "
                                + source.generation()
                                + " begins, behind a truncation that was accepted; what is below was"
                                + " applied before that";
        return Verdict.at(start, first.compareTo(start) < 0 ? what + why : "");
    }

    /** What it counts are other records: those of a former log, or of one that it has forgotten. */
    private static Verdict ofOther(Source source, NextOffset committed, int of) {
        return Verdict.at(
                source.checkpoint(),
                of < source.number()
                        ? ""
                        : "the group's commit for "
                                + source.partition()
                                + " ("
                                + committed
                                + ") is of a source ("
                                + of
                                + ") that the database does not know: it went back; going back with"
                                + " it");
    }

    private Verdict withinLog(Verdict verdict, Source source, NextOffset first, NextOffset end) {
        NextOffset next = verdict.next();
        if (next.compareTo(end) > 0) {
            return beyondEnd(next, source, end);
        }
        if (source.checkpoint().compareTo(end) > 0) { // also where the commit was moved back
            return beyondEnd(source.checkpoint(), source, end);
        }
        if (next.compareTo(first) >= 0) {
            return verdict;
        }
        if (source.checkpoint().compareTo(first) >= 0) {
            return Verdict.at(first, verdict.remark()); // what is gone had been applied
        }
        NextOffset applied = next.compareTo(source.checkpoint()) > 0 ? next : source.checkpoint();
        Skip gap = new Skip(Skip.Cause.GAP, applied.offset(), first.offset());
        String gone =
                "offsets "
                        + gap.first()
                        + " to "
                        + (gap.next() - 1)
                        + " of "
                        + source.partition()
                        + " (at most "
                        + gap.records()
                        + " records) are gone from the log and were never applied";
        return policy.onGap() == PositionPolicy.Gap.EARLIEST
                ? verdict.skipping(gap, first, gone + "; on.gap=earliest goes on behind them")
                : Verdict.refuse(
                        next, gone + ". Set on.gap=earliest to accept the loss and go on.");
    }

    /** Only the client can ask the broker from where on a log is another one: it is sent there. */
    private Verdict beyondEnd(NextOffset next, Source source, NextOffset end) {
        String what =
                "the log of "
                        + source.partition()
                        + " ends at "
                        + end
                        + ", below what the database has applied ("
                        + next
                        + "): it was truncated, or it is another log";
        if (policy.onLogTruncated() == PositionPolicy.LogTruncated.STOP) {
            return Verdict.refuse(next, what + TRUNCATED);
        }
        return next.leaderEpoch() == NextOffset.NO_EPOCH
                ? Verdict.refuse(
                        next,
                        what
                                + ". Nobody knows from where on, since the leader epoch of what was"
                                + " applied is not known; move the checkpoint by hand.")
                : Verdict.at(next, what + "; on.log.truncated=continue looks from where on");
    }
}
