package dev.envelope.integration.chain;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a run has shown, and whether it could have shown anything.
 *
 * <p>Threads: immutable.
 *
 * @param kills by the stage at which they met
 * @param payments that were sent
 * @param outputs of each application
 * @param aborted records that were sent and taken back
 * @param takeovers relays whose outputs another one has taken over
 * @param anomalies how many were found
 * @param findings the first of them
 */
public record ChainVerdict(
        Map<Stage, Integer> kills,
        long payments,
        List<Integer> outputs,
        int aborted,
        long takeovers,
        int anomalies,
        List<String> findings) {

    public ChainVerdict {
        kills = Map.copyOf(kills);
        outputs = List.copyOf(outputs);
        findings = List.copyOf(findings);
    }

    /** Whether there was something that could have gone wrong. */
    public boolean isValid() {
        return totalKills() > 0 && takeovers > 0 && payments > 0;
    }

    public boolean isGreen() {
        return isValid() && anomalies == 0;
    }

    public int totalKills() {
        return kills.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public String toString() {
        String word = isValid() ? anomalies == 0 ? "GREEN" : "RED" : "INVALID";
        String byStage =
                kills.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(it -> it.getValue() + " " + it.getKey())
                        .collect(Collectors.joining(", "));
        return """
                %s: %d kills (%s), %d anomalies
                %d payments; outputs by application: %s; %d records taken back, %d relays taken over
                %s"""
                .formatted(
                        word,
                        totalKills(),
                        byStage,
                        anomalies,
                        payments,
                        outputs,
                        aborted,
                        takeovers,
                        String.join("\n", findings));
    }
}
