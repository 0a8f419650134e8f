package dev.envelope.integration.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every measurement of every round, for programs.
 *
 * <p>Threads: immutable.
 */
final class JsonSummary {

    private JsonSummary() {}

    static String of(BenchOptions options, Results results, List<String> surroundings) {
        List<Map<String, Object>> runs = new ArrayList<>();
        for (Scenario scenario : options.scenarios()) {
            for (Contestant contestant : scenario.contestants()) {
                results.of(scenario.name(), contestant)
                        .forEach(
                                (round, measurement) ->
                                        runs.add(run(scenario, contestant, round, measurement)));
            }
        }
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("surroundings", surroundings);
        summary.put("jvm", BenchOptions.jvm(BenchOptions.HEAP));
        summary.put("disqualified", results.disqualifications());
        summary.put("runs", runs);
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(summary);
    }

    private static Map<String, Object> run(
            Scenario scenario, Contestant contestant, int round, Measurement measurement) {
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("workload", scenario.name());
        run.put("keys", scenario.workload().keys());
        run.put("contestant", contestant.name());
        run.put("round", round);
        run.put("recordsPerSecond", measurement.recordsPerSecond());
        run.put("measurement", measurement);
        return run;
    }
}
