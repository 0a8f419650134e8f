package dev.envelope.integration.cluster;

import dev.envelope.idempotency.testkit.Findings;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a run has shown, and whether it could have shown anything.
 *
 * <p>Threads: immutable, but for the findings, to which nobody adds any more.
 *
 * @param kills that landed while work was in flight, by their aim
 * @param missed kills that found no work in flight
 * @param records in the committed log
 * @param redelivered messages that came again and were found to be applied
 * @param producerDuplicates events that the producer sent twice
 * @param conflicts rows found to have moved on
 * @param saves rows written
 * @param savesOfSeveral rows written for more than one message
 * @param samples commits looked at while the run went on
 */
public record Verdict(
        Map<Aim, Integer> kills,
        int missed,
        int records,
        int keys,
        long redelivered,
        int producerDuplicates,
        long rebalances,
        long conflicts,
        long failedAttempts,
        long saves,
        long savesOfSeveral,
        int samples,
        Findings findings) {

    /** Kills that landed. */
    public int totalKills() {
        return kills.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Whether there was something that could have gone wrong. */
    public boolean isValid() {
        return redelivered > 0
                && producerDuplicates > 0
                && rebalances > 0
                && failedAttempts > 0
                && savesOfSeveral > 0
                && samples > 0
                && totalKills() > 0;
    }

    public boolean isGreen() {
        return isValid() && findings.isEmpty();
    }

    @Override
    public String toString() {
        String word = isValid() ? findings.isEmpty() ? "GREEN" : "RED" : "INVALID";
        String byAim =
                kills.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(it -> it.getValue() + " " + it.getKey())
                        .collect(Collectors.joining(", "));
        return """
                %s: %d kills with work in flight (%s; %d more found none), %d anomalies
                %d records of %d keys; %d redelivered and found to be applied, %d sent twice
                %d rebalances, %d conflicts, %d failed attempts
                %d rows saved, %d of them for several messages; %d commits looked at
                %s"""
                .formatted(
                        word,
                        totalKills(),
                        byAim,
                        missed,
                        findings.kinds().stream().mapToInt(findings::count).sum(),
                        records,
                        keys,
                        redelivered,
                        producerDuplicates,
                        rebalances,
                        conflicts,
                        failedAttempts,
                        saves,
                        savesOfSeveral,
                        samples,
                        findings);
    }
}
