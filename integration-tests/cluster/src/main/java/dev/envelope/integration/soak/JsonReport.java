package dev.envelope.integration.soak;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The report for machines.
 *
 * <p>Threads: immutable.
 */
final class JsonReport {

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JsonReport() {}

    static String of(SoakResult result) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("verdict", result.verdict().word());
        report.put("command", result.plan().command());
        report.put("seed", result.plan().seed());
        report.put("seconds", result.plan().faults().toSeconds());
        report.put("sent", result.course().sent());
        report.put("done", result.done());
        report.put("healMillis", result.course().healMillis());
        report.put("faults", Tally.of(result));
        report.put("promises", result.verdict().promises());
        report.put("conditions", result.verdict().conditions());
        report.put("findings", result.findings());
        report.put("strikes", strikes(result));
        report.put("samples", samples(result));
        return JSON.writeValueAsString(report);
    }

    private static List<Map<String, @Nullable Object>> strikes(SoakResult result) {
        List<Map<String, @Nullable Object>> strikes = new ArrayList<>();
        for (Strike strike : result.course().strikes()) {
            Map<String, @Nullable Object> line = new LinkedHashMap<>();
            line.put("kind", strike.kind().name());
            line.put("fromMillis", strike.fromMillis());
            line.put("untilMillis", strike.untilMillis());
            line.put("landed", strike.landed());
            line.put("healedAfterMillis", result.heals().get(strike));
            strikes.add(line);
        }
        return strikes;
    }

    private static List<Map<String, @Nullable Object>> samples(SoakResult result) {
        List<Map<String, @Nullable Object>> samples = new ArrayList<>();
        for (Timeline.Sample sample : result.samples()) {
            Map<String, @Nullable Object> line = new LinkedHashMap<>();
            OptionalLong lag = sample.lag();
            line.put("millis", sample.millis());
            line.put("done", sample.done());
            line.put("lag", lag.isPresent() ? lag.getAsLong() : null);
            samples.add(line);
        }
        return samples;
    }
}
