package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonbTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "-0.0",
                "1E+5",
                "1e131071",
                "0.001e131074",
                "9.99e131071",
                "1e-16383",
                "0e-16383",
                "1.5e-16382",
                "0.1e-16382",
                "1234567890.123456789E-100",
                "0e999999999",
                "1e0000000005",
                "1e+0000000005",
                "1e-0000000005"
            })
    void takesNumbersThatNumericHolds(String number) {
        assertThat(Jsonb.isNumeric(number)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e131072",
                "10e131071",
                "1e200000",
                "-1e200000",
                "1e-16384",
                "1.5e-16383",
                "0e-16384",
                "0.0e-16383",
                "1e1000000000",
                "0e1000000000",
                "1e2147483648",
                "1e9999999999",
                "-1e9999999999",
                "1e-9999999999",
                "1e9999999999999",
                "1e-9999999999999",
                "1e+2147483648"
            })
    void refusesNumbersThatNumericDoesNotHold(String number) {
        assertThat(Jsonb.isNumeric(number)).isFalse();
    }

    @Test
    void countsDigitsThatAreWrittenOut() {
        assertThat(Jsonb.isNumeric("9".repeat(131_072))).isTrue();
        assertThat(Jsonb.isNumeric("9".repeat(131_073))).isFalse();
        assertThat(Jsonb.isNumeric("0." + "0".repeat(16_383))).isTrue();
        assertThat(Jsonb.isNumeric("0." + "0".repeat(16_384))).isFalse();
        assertThat(Jsonb.isStorable(new BigDecimal("1e131072"))).isFalse();
        assertThat(Jsonb.isStorable(new BigDecimal("1e131071"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\\u0000\"",
                "{\"a\\u0062\":1}",
                "[\"\\\"\",\"\\ud800\"]",
                "1e10000",
                "-1.5E-10000",
                "[2e+00010]",
                "{\"e\":1e9999999999}"
            })
    void looksAtEscapesAndLongExponents(String document) {
        assertThat(Jsonb.needsALook(document.getBytes(StandardCharsets.UTF_8))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"true\":true,\"a\":123456}",
                "\"\\n \\\\u 1e12345 \\\"\"",
                "[1,-2.5,0.000012345,123456789]",
                "[1.0E7,2.5E-7,1e9999]",
                "1e5",
                "\"é\""
            })
    void looksAtNothingElse(String document) {
        assertThat(Jsonb.needsALook(document.getBytes(StandardCharsets.UTF_8))).isFalse();
    }

    @Test
    void whatIsNotLookedAtForItsLengthIsInRange() {
        String digits = "9".repeat(Jsonb.MAX_PLAIN_CHARS - 7);
        for (String number : new String[] {digits + "E+9999", "0." + digits + "E-9999"}) {
            assertThat(Jsonb.needsALook(number.getBytes(StandardCharsets.UTF_8))).isFalse();
            assertThat(Jsonb.isNumeric(number)).isTrue();
        }
    }

    @Test
    void tellsTextsThatCanBeStored() {
        assertThat(Jsonb.isStorable("é😀\u0001")).isTrue();
        assertThat(Jsonb.isStorable("")).isTrue();
        assertThat(Jsonb.isStorable("a\u0000b")).isFalse();
        assertThat(Jsonb.isStorable("\ud83d")).isFalse();
        assertThat(Jsonb.isStorable("\ude00\ud83d")).isFalse();
        assertThat(Jsonb.isStorable("\ud83dx")).isFalse();
    }
}
