package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import dev.envelope.idempotency.fold.ValueFormat;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class BadDocumentsTest {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final PointerReader POINTERS =
            new PointerReader(Json.standard(), List.of("/a", "/b/c"));

    private static final Map<String, ValueFormat<?>> READERS =
            Map.of(
                    "tree",
                    JsonValueFormat.ofTrees(),
                    "map",
                    JsonValueFormat.of(Map.class),
                    "pointers",
                    (value, message) -> POINTERS.read(value),
                    "storable",
                    (value, message) -> {
                        Json.standard().checkStorable(value);
                        return value;
                    });

    @TestFactory
    Stream<DynamicTest> everyReaderRefusesEveryBadDocumentSoon() {
        return BadDocuments.all().entrySet().stream()
                .flatMap(bad -> READERS.entrySet().stream().map(reader -> test(bad, reader)));
    }

    private static DynamicTest test(
            Map.Entry<String, byte[]> bad, Map.Entry<String, ValueFormat<?>> reader) {
        return DynamicTest.dynamicTest(
                reader.getKey() + " refuses: " + bad.getKey(),
                () -> {
                    long start = THREADS.getCurrentThreadCpuTime();
                    assertThatThrownBy(
                                    () ->
                                            reader.getValue()
                                                    .decode(
                                                            bad.getValue(),
                                                            SampleMessages.tombstone()))
                            .isInstanceOf(MalformedException.class)
                            .satisfies(JsonStateCodecTest::isBrief);
                    // Milliseconds, in fact; the bound only has to tell them from minutes. Of the
                    // CPU, since a busy machine may let it wait.
                    assertThat(Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - start))
                            .isLessThan(Duration.ofSeconds(10));
                });
    }

    @Test
    void readersTakeWhatIsJustWithinTheLimits() {
        String deep = "{\"a\":" + "[".repeat(63) + "]".repeat(63) + "}";
        String wide = "{\"a\":\"" + "x".repeat(1 << 20) + "\"}";
        String digits = "{\"a\":" + "9".repeat(1_000) + "}";
        String name = "{\"" + "n".repeat(1_024) + "\":1}";
        for (String document : List.of(deep, wide, digits, name, "{}", "[]", "1", "\"x\"")) {
            byte[] value = document.getBytes(StandardCharsets.UTF_8);
            READERS.forEach(
                    (what, reader) -> {
                        if (!what.equals("map") || document.startsWith("{")) {
                            assertThat(reader.decode(value, SampleMessages.tombstone()))
                                    .isNotNull();
                        }
                    });
        }
    }
}
