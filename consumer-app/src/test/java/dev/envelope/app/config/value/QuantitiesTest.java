package dev.envelope.app.config.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantitiesTest {

    @ParameterizedTest
    @CsvSource({"250ms,PT0.25S", "5s,PT5S", "2m,PT2M", "1h,PT1H", "1d,PT24H"})
    void durationsHaveAUnit(String text, Duration duration) throws BadValueException {
        assertThat(Quantities.duration("1ms", "30d").parse(text)).isEqualTo(duration);
        assertThat(Quantities.show(duration)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5 | has no unit: write 5ms, 5s or 5m",
                "5sec | has the unknown unit \"sec\"",
                "5S | has the unknown unit \"S\"",
                "1.5s | is not a duration",
                "PT5S | is not a duration",
                "-5s | is not a duration",
                "5 s | is not a duration: write 5s",
                "1 min | write 1m",
                "5minutes | write 5m",
                "2 Hours | write 2h",
                "300msec | write 300ms",
                "3 days | write 3d",
                "3 months | such as 250ms, 5s or 2m",
                "3w | the units are ms, s, m, h and d",
                "0s | is too small, the least is 1ms",
                "31d | is too large, the most is 30d",
                "99999999999999999999d | is too large",
            })
    void otherDurationsAreRefused(String text, String reason) {
        assertThatThrownBy(() -> Quantities.duration("1ms", "30d").parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1B,1", "2KiB,2048", "64MiB,67108864", "3GiB,3221225472"})
    void sizesAreNumbersOrHaveABinaryUnit(String text, long bytes) throws BadValueException {
        assertThat(Quantities.bytes("1", "64GiB").parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "64MB | has the unknown unit \"MB\": write 64MiB",
                "64m | has the unknown unit \"m\": write 64MiB",
                "2k | write 2KiB",
                "2x | write B, KiB, MiB or GiB",
                "-1 | is not a size",
                "1 MiB | is not a size: write 1MiB",
                "10 MB | write 10MiB",
                "64 bytes | write 64B",
                "1 x | write a number of bytes",
                "0 | is too small, the least is 1KiB",
                "65GiB | is too large, the most is 64GiB",
                "99999999999999999999GiB | is too large",
            })
    void otherSizesAreRefused(String text, String reason) {
        assertThatThrownBy(() -> Quantities.bytes("1KiB", "64GiB").parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "two | is not a whole number",
                "1.0 | is not a whole number",
                "1_000 | is not a whole number",
                "-1 | is too small, the least is 0",
                "11 | is too large, the most is 10",
                "99999999999999999999 | is too large",
            })
    void otherNumbersAreRefused(String text, String reason) {
        assertThatThrownBy(() -> Quantities.wholeNumber(0, 10).parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining(reason);
    }
}
