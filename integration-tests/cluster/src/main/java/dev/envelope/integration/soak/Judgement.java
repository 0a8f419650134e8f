package dev.envelope.integration.soak;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.ExpectedRows;
import dev.envelope.integration.oracle.Oracle;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the verdict out of all that was found.
 *
 * <p>Threads: one at a time.
 */
final class Judgement {

    private static final Map<Anomaly, String> MEANINGS = meanings();

    private final SoakPlan plan;
    private final Fleet fleet;
    private final Course course;
    private final Timeline timeline;
    private final Findings findings;

    Judgement(SoakPlan plan, Fleet fleet, Course course, Timeline timeline, Findings findings) {
        this.plan = plan;
        this.fleet = fleet;
        this.course = course;
        this.timeline = timeline;
        this.findings = findings;
    }

    private static Map<Anomaly, String> meanings() {
        Map<Anomaly, String> meanings = new EnumMap<>(Anomaly.class);
        meanings.put(Anomaly.LOST_APPLY, "records whose effect is missing");
        meanings.put(Anomaly.DUPLICATE_APPLY, "effects that are there twice");
        meanings.put(Anomaly.REORDER, "rows whose hash chain is another, saves out of order");
        meanings.put(Anomaly.OVERLAP, "two folds of a key at a time");
        meanings.put(Anomaly.ABORTED_APPLY, "effects of what its producer took back");
        meanings.put(Anomaly.ZOMBIE_WRITE, "saves that did not start from the version before");
        meanings.put(Anomaly.NON_MONOTONIC, "marks or checkpoints that went back");
        meanings.put(Anomaly.TORN_ENVELOPE, "state, marks and journal that do not agree");
        meanings.put(Anomaly.COMMIT_AHEAD, "commits ahead of the checkpoint or of what is durable");
        meanings.put(Anomaly.COMMIT_REWIND, "commits that went back within an epoch");
        meanings.put(Anomaly.WRONG_PARK, "messages parked without need, or with other bytes");
        return meanings;
    }

    SoakResult judge(Lookout lookout, Oracle oracle, ExpectedRows truth) {
        List<Check> promises = new ArrayList<>();
        for (Anomaly anomaly : Anomaly.values()) {
            promises.add(
                    Check.none(
                            anomaly.toString(),
                            MEANINGS.getOrDefault(anomaly, ""),
                            findings.count(anomaly)));
        }
        int records = truth.log().size();
        promises.add(
                new Check(
                        "acknowledged",
                        "records that the broker had taken are in the log",
                        course.acknowledged() + " of " + records,
                        course.acknowledged() <= records));
        promises.add(
                new Check(
                        "heal",
                        "everything is done within %d s of the last fault"
                                .formatted(plan.healBound().toSeconds()),
                        "%.1f s".formatted(course.healMillis() / 1_000.0),
                        course.healMillis() <= plan.healBound().toMillis()));
        promises.add(
                Check.none("ended", "processes that ended by themselves", fleet.ended().size()));
        promises.add(
                Check.none("odd", "other things that ought not to be", lookout.problems().size()));
        promises.addAll(Holdings.compare(course.before(), course.after()));
        List<String> words = new ArrayList<>(findings.toString().lines().toList());
        words.addAll(lookout.problems());
        words.addAll(lookout.hampered());
        words.addAll(fleet.ended());
        return new SoakResult(
                plan,
                new SoakVerdict(promises, conditions(lookout, oracle, truth)),
                course,
                timeline.samples(),
                heals(),
                truth.toPark(),
                words);
    }

    private List<Check> conditions(Lookout lookout, Oracle oracle, ExpectedRows truth) {
        List<Check> conditions = new ArrayList<>();
        long landed = course.strikes().stream().filter(Strike::landed).count();
        conditions.add(Check.some("landed", "faults that struck while work was under way", landed));
        List<FaultKind> idle =
                plan.kinds().stream().filter(kind -> !hasLanded(kind)).sorted().toList();
        conditions.add(
                Check.none(
                        "idle kinds",
                        "kinds of faults that never landed" + (idle.isEmpty() ? "" : " " + idle),
                        idle.size()));
        conditions.add(
                Check.none(
                        "hampered",
                        "servers that did not break, or come back, as they were meant to",
                        lookout.hampered().size()));
        conditions.add(
                Check.some(
                        "redelivered",
                        "messages that came again, and were found to be applied",
                        fleet.total(Count.DUPLICATES) - truth.duplicates()));
        conditions.add(Check.some("duplicates", "events that were sent twice", truth.duplicates()));
        conditions.add(
                Check.some(
                        "rebalances",
                        "times that a process was given or lost partitions",
                        fleet.total(Count.REBALANCES)));
        conditions.add(
                Check.some(
                        "envelopes",
                        "rows saved for more than one message, of " + oracle.saves() + " saved",
                        oracle.savesOfSeveral()));
        conditions.add(
                Check.some(
                        "attempts",
                        "attempts of the handler that failed",
                        fleet.total(Count.FAILED_ATTEMPTS)));
        conditions.add(
                Check.some(
                        "looks",
                        "commits that were looked at while it ran ("
                                + lookout.missed()
                                + " looks found a server away)",
                        lookout.samples()));
        conditions.add(Check.some("parked", "messages that had to be parked", truth.toPark()));
        return conditions;
    }

    private boolean hasLanded(FaultKind kind) {
        return course.strikes().stream().anyMatch(it -> it.kind() == kind && it.landed());
    }

    private Map<Strike, Long> heals() {
        Map<Strike, Long> heals = new LinkedHashMap<>();
        for (Strike strike : course.strikes()) {
            timeline.healedAfter(strike.untilMillis())
                    .ifPresent(millis -> heals.put(strike, millis));
        }
        return heals;
    }
}
