package dev.envelope.integration.bench;

import static dev.envelope.integration.bench.Contestant.ENVELOPE;
import static dev.envelope.integration.bench.Contestant.LOOP;

import dev.envelope.integration.bench.Measurement.Extra;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What the project has set itself to reach, beside the others in the same run.
 *
 * <p>Threads: immutable.
 */
final class Goals {

    private static final double PER_SECOND_AND_WORKER = 1_000.0 / Scenario.BLOCK_MILLIS;
    private static final int WORKERS = 64;

    private static final List<String> STEADY =
            List.of("steady1000", "steady100k", "steadyzipf", "steadyunique");

    private static final List<Goal> EVERY = every();

    private Goals() {}

    /** Of those that were asked. */
    static List<Goal.Answer> answers(Results results) {
        return EVERY.stream().map(goal -> goal.answer(results)).flatMap(Optional::stream).toList();
    }

    private static List<Goal> every() {
        List<Goal> goals = new ArrayList<>();
        goals.add(faster("4m", LOOP, 1.0));
        goals.add(faster("zipf", LOOP, 1.2));
        goals.add(faster("single", LOOP, 1.0));
        goals.add(faster("100k", LOOP, 1.5));
        goals.add(faster("unique", LOOP, 1.2));
        goals.add(faster("unique", Contestant.LOOP_COPY, 1.0));
        goals.add(later("steady1000", LOOP, Extra.SECOND_HALF, 1.0));
        goals.add(later("steady100k", LOOP, Extra.SECOND_HALF, 1.5));
        goals.add(later("steadyzipf", LOOP, Extra.SECOND_HALF, 1.2));
        goals.add(later("steadyunique", Contestant.LOOP_COPY, Extra.SECOND_HALF, 1.0));
        for (String workload : STEADY) {
            goals.add(cheaper(workload, LOOP, 1.25));
        }
        goals.add(atMost("steady1000", Extra.SECOND_HALF_PAUSES, 5));
        goals.add(stillAsFast("away1", "away0", 0.9));
        goals.add(stillAsFast("away2.5", "away0", 0.7));
        goals.add(stillAsFast("away12", "away0", 0.4));
        goals.add(losesNoMore("beside1000", "4m"));
        goals.add(losesNoMore("beside100k", "100k4m"));
        for (String workload : List.of("1000", "100k", "zipf", "unique", "single")) {
            goals.add(faster(workload, Contestant.RECORD, 60));
            goals.add(faster(workload, Contestant.PC_16, 30));
            goals.add(faster(workload, Contestant.PC_64, 30));
        }
        goals.add(faster("100k", Contestant.SPRING, 3));
        goals.add(faster("100k", Contestant.PC_BATCH, 4));
        goals.add(faster("100k", Contestant.STREAMS_EOS, 2));
        goals.add(
                results ->
                        results.spread("blocking", ENVELOPE, m -> Optional.of(m.recordsPerSecond()))
                                .map(Spread::median)
                                .map(it -> it / (WORKERS * PER_SECOND_AND_WORKER))
                                .map(share -> ratio("blocking", "64 workers / 5 ms", share, 0.95)));
        goals.add(
                results ->
                        median(
                                        results,
                                        "blocking",
                                        ENVELOPE,
                                        m -> Optional.of(m.perMillion(m.cost().clientCpu())))
                                .map(
                                        it ->
                                                new Goal.Answer(
                                                        title("blocking"),
                                                        "CPU time of the client for a message",
                                                        "≤ 30 µs",
                                                        number(it) + " µs",
                                                        it <= 30)));
        goals.add(faster("blocking", Contestant.PC_64, 2.5));
        goals.add(
                results ->
                        results.ratio("virtual", Contestant.VIRTUAL_256, Contestant.POOL_256)
                                .map(
                                        it ->
                                                ratio(
                                                        "virtual",
                                                        Contestant.POOL_256.title(),
                                                        it.median(),
                                                        0.9)));
        for (String workload : List.of("latency1000", "latency5000")) {
            goals.add(latency(workload, Extra.P50, 1));
            goals.add(latency(workload, Extra.P99, 5));
        }
        goals.add(faster("replay1000", Contestant.POLL, 0.8));
        goals.add(faster("replay100k", Contestant.POLL, 0.6));
        goals.add(liveHeap());
        goals.add(
                results ->
                        median(results, "small10m", ENVELOPE, m -> Optional.of(1.0))
                                .map(
                                        done ->
                                                new Goal.Answer(
                                                        title("small10m"),
                                                        "–",
                                                        "it ends well",
                                                        "it did",
                                                        true)));
        goals.add(atMost("start", Extra.START_TO_POLL, 1_500));
        goals.add(atMost("takeover", Extra.TAKEOVER, 1_000));
        goals.add(
                compared(
                        "rebalance",
                        "the same run's gap before",
                        "+100 ms",
                        Extra.REBALANCE_GAP,
                        ENVELOPE,
                        Extra.USUAL_GAP,
                        ENVELOPE,
                        (ours, usual) -> ours <= usual + 100));
        for (Contestant crowd : List.of(Contestant.PROGRAM_STUCK, Contestant.PROGRAM_ASKED)) {
            goals.add(
                    results ->
                            extra(results, "watched", crowd, Extra.PACE)
                                    .map(
                                            it ->
                                                    new Goal.Answer(
                                                            crowd.title(),
                                                            "the same process with nobody there",
                                                            "≥ 95 %",
                                                            String.format(
                                                                    Locale.ROOT, "%.1f %%", it),
                                                            it >= 95)));
        }
        return List.copyOf(goals);
    }

    private static Goal faster(String scenario, Contestant other, double atLeast) {
        return results ->
                results.ratio(scenario, ENVELOPE, other)
                        .map(it -> ratio(scenario, other.title(), it.median(), atLeast));
    }

    /** The second halves of long runs. */
    private static Goal later(String scenario, Contestant other, Extra extra, double atLeast) {
        return results ->
                Results.ratio(
                                results.of(scenario, ENVELOPE),
                                results.of(scenario, other),
                                m -> m.more(extra))
                        .map(it -> ratio(scenario, other.title(), it.median(), atLeast));
    }

    private static Goal cheaper(String scenario, Contestant other, double atMost) {
        return results ->
                Results.ratio(
                                results.of(scenario, ENVELOPE),
                                results.of(scenario, other),
                                m -> m.more(Extra.SECOND_HALF_CPU))
                        .map(
                                it ->
                                        new Goal.Answer(
                                                title(scenario),
                                                "CPU time of the client, " + other.title(),
                                                "≤ " + number(atMost) + "×",
                                                times(it.median()),
                                                it.median() <= atMost));
    }

    /** Compared with ourselves in another scenario. */
    private static Goal stillAsFast(String scenario, String than, double atLeast) {
        return results ->
                pace(results, scenario, than, ENVELOPE)
                        .map(it -> ratio(scenario, title(than), it, atLeast));
    }

    /** What is left of our own speed, beside what is left of the loop's. */
    private static Goal losesNoMore(String scenario, String than) {
        return results ->
                pace(results, scenario, than, ENVELOPE)
                        .flatMap(
                                ours ->
                                        pace(results, scenario, than, LOOP)
                                                .map(
                                                        theirs ->
                                                                new Goal.Answer(
                                                                        title(scenario),
                                                                        "what is left of the loop's"
                                                                                + " speed",
                                                                        "≥ " + times(theirs),
                                                                        times(ours),
                                                                        ours >= theirs)));
    }

    private static Optional<Double> pace(
            Results results, String scenario, String than, Contestant of) {
        return Results.ratio(
                        results.of(scenario, of),
                        results.of(than, of),
                        m -> Optional.of(m.recordsPerSecond()))
                .map(Spread::median);
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.2f×", ratio);
    }

    private static Goal.Answer ratio(
            String scenario, String against, double measured, double atLeast) {
        return new Goal.Answer(
                title(scenario),
                against,
                "≥ " + number(atLeast) + "×",
                times(measured),
                measured >= atLeast);
    }

    private static Goal latency(String scenario, Extra extra, int addedMillis) {
        return compared(
                scenario,
                "the loop's " + extra.title().replace(", ms", ""),
                "≤ 1.2× or +" + addedMillis + " ms",
                extra,
                ENVELOPE,
                extra,
                LOOP,
                (ours, theirs) -> ours <= 1.2 * theirs || ours <= theirs + addedMillis);
    }

    private static Goal liveHeap() {
        return results -> {
            Optional<Double> few = extra(results, "heap100k", ENVELOPE, Extra.LIVE_HEAP);
            Optional<Double> many = extra(results, "heap10m", ENVELOPE, Extra.LIVE_HEAP);
            return few.isEmpty() || many.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new Goal.Answer(
                                    title("heap10m"),
                                    "100,000 keys",
                                    "≤ +5 %",
                                    String.format(
                                            Locale.ROOT,
                                            "%+.1f %%",
                                            100 * (many.get() / few.get() - 1)),
                                    many.get() <= 1.05 * few.get()));
        };
    }

    private static Goal atMost(String scenario, Extra extra, double most) {
        return results ->
                extra(results, scenario, ENVELOPE, extra)
                        .map(
                                it ->
                                        new Goal.Answer(
                                                title(scenario),
                                                extra.title(),
                                                "≤ " + number(most),
                                                number(it),
                                                it <= most));
    }

    private static Goal compared(
            String scenario,
            String against,
            String wanted,
            Extra oursExtra,
            Contestant ours,
            Extra theirsExtra,
            Contestant theirs,
            BiFunction<Double, Double, Boolean> isReached) {
        return results -> {
            Optional<Double> one = extra(results, scenario, ours, oursExtra);
            Optional<Double> other = extra(results, scenario, theirs, theirsExtra);
            return one.isEmpty() || other.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new Goal.Answer(
                                    title(scenario),
                                    against,
                                    wanted,
                                    String.format(
                                            Locale.ROOT,
                                            "%.1f against %.1f ms",
                                            one.get(),
                                            other.get()),
                                    isReached.apply(one.get(), other.get())));
        };
    }

    private static Optional<Double> extra(
            Results results, String scenario, Contestant contestant, Extra extra) {
        return median(results, scenario, contestant, m -> m.more(extra));
    }

    private static Optional<Double> median(
            Results results,
            String scenario,
            Contestant contestant,
            Function<Measurement, Optional<Double>> quantity) {
        return results.spread(scenario, contestant, quantity).map(Spread::median);
    }

    private static String title(String scenario) {
        return Scenario.find(scenario).map(Scenario::title).orElse(scenario);
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.2f", value).replaceFirst("0$", "");
    }
}
