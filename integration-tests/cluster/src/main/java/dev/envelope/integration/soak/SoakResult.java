package dev.envelope.integration.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Everything that a report has to say.
 *
 * <p>Threads: immutable.
 *
 * @param heals by strike, how many milliseconds later all was done that was in the log when it
 *     ended
 * @param parked messages that had to be parked
 * @param findings in words
 */
record SoakResult(
        SoakPlan plan,
        SoakVerdict verdict,
        Course course,
        List<Timeline.Sample> samples,
        Map<Strike, Long> heals,
        long parked,
        List<String> findings) {

    SoakResult {
        samples = List.copyOf(samples);
        heals = Map.copyOf(heals);
        findings = List.copyOf(findings);
    }

    /** The same with one more thing that had to hold. */
    SoakResult with(Check promise) {
        List<Check> promises = new ArrayList<>(verdict.promises());
        promises.add(promise);
        return new SoakResult(
                plan,
                new SoakVerdict(promises, verdict.conditions()),
                course,
                samples,
                heals,
                parked,
                findings);
    }

    /** Messages done, those that came again as well. */
    long done() {
        return samples.isEmpty() ? 0 : samples.get(samples.size() - 1).done();
    }
}
