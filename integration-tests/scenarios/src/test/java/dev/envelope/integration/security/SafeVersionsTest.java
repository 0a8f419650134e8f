package dev.envelope.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import dev.envelope.integration.docs.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.postgresql.util.DriverInfo;

/** The table of versions below which a known hole is open, against what is on the class path. */
class SafeVersionsTest {

    private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+)` \\| ([0-9.]+) \\| .+ \\|");

    private static Map<String, String> least() throws IOException {
        Map<String, String> least = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Checkout.ROOT.resolve("SECURITY.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                least.put(row.group(1), row.group(2));
            }
        }
        return least;
    }

    private static Map<String, String> present() {
        return Map.of(
                "kafka-clients", AppInfoParser.getVersion(),
                "postgresql", DriverInfo.DRIVER_VERSION,
                "jackson-databind", tools.jackson.databind.cfg.PackageVersion.VERSION.toString(),
                "logback-classic",
                        String.valueOf(
                                LoggerContext.class.getPackage().getImplementationVersion()));
    }

    private static boolean isAtLeast(String version, String least) {
        List<Integer> have = numbers(version);
        List<Integer> need = numbers(least);
        for (int i = 0; i < need.size(); i++) {
            int compared = Integer.compare(i < have.size() ? have.get(i) : 0, need.get(i));
            if (compared != 0) {
                return compared > 0;
            }
        }
        return true;
    }

    private static List<Integer> numbers(String version) {
        return Stream.of(version.split("[^0-9]+")).map(Integer::valueOf).toList();
    }

    @Test
    void versionsAreComparedNumberByNumber() {
        assertThat(isAtLeast("4.10.0", "4.9.1")).isTrue();
        assertThat(isAtLeast("42.7.10", "42.7.11")).isFalse();
        assertThat(isAtLeast("4.1.2", "4.1.2")).isTrue();
    }

    @Test
    void nothingIsOlderThanTheDocumentSays() throws IOException {
        Map<String, String> present = present();
        assertThat(least()).hasSameSizeAs(present);
        least().forEach(
                        (name, version) ->
                                assertThat(present.get(name))
                                        .as(name)
                                        .matches(it -> isAtLeast(it, version), ">= " + version));
    }
}
