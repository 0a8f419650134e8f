package dev.envelope.idempotency.store.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.store.pin.PinMismatch;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowKeyEvidenceTest {

    private static final String UUID = "6b7f0c1e-2a43-4d5b-9c8d-0123456789ab";

    /** What is found: fits, unknown, no (a row that it can't have made), or what the rows say. */
    private static String verdict(List<String> keys, String name, String value) {
        return new RowKeyEvidence("shop", Set.of("orders", "refunds"), keys)
                .against(name, Map.of(name, value))
                .map(RowKeyEvidenceTest::verdict)
                .orElse("fits");
    }

    private static String verdict(PinMismatch mismatch) {
        String stored = mismatch.stored();
        if (stored != null) {
            return stored;
        }
        return mismatch.reason().contains("can't have made") ? "no" : "unknown";
    }

    private static List<String> keys(String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split(" "))
                        .map(key -> key.replace("~", RowKeys.NO_KEY))
                        .toList();
    }

    @ParameterizedTest
    @CsvSource({
        ",                         string, fits", // there are none
        ",                         long,   fits",
        "account-7,                string, fits", // nothing else makes such keys
        "account-7,                long,   no",
        "account-7,                int,    no",
        "account-7,                uuid,   no",
        "account-7,                base64, no",
        "account-7,                com.example.Keys, unknown",
        "1 -22,                    long,   unknown", // texts, too, may be numbers
        "1 -22,                    int,    unknown",
        "1 -22,                    string, unknown",
        "1 007,                    long,   no", // that is no number's own text
        "1 -0,                     int,    no",
        "1 4294967296,             int,    no",
        "9223372036854775808,      long,   no",
        UUID + ",                  uuid,   unknown",
        UUID + ",                  string, unknown",
        UUID + " 7,                string, fits",
        "YQ==,                     base64, unknown",
        "YQ== YWJj,                base64, unknown",
        "YQ== YQ,                  base64, no",
        "abcd,                     string, unknown", // four letters are base64, too
        "abcd account-7,           string, fits",
        "~spread-3,                long,   fits", // of a record without a key
        "orders/1 refunds/2,       long,   unknown",
        "orders/1 refunds/x-2,     long,   no",
        "orders/1 refunds/x-2,     string, fits",
        "orders/1 7,               long,   no" // a key with a slash
    })
    void aKeyFormatIsShownByKeysThatOnlyItMakes(String keys, String format, String verdict) {
        assertThat(verdict(keys(keys), "key.format", format)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        ",                             application, fits",
        ",                             topic,       fits",
        "a b/c,                        application, fits",
        "a b/c,                        topic,       application",
        "orders/a refunds/a,           topic,       fits",
        "orders/a,                     application, topic",
        "orders/a b,                   topic,       application",
        "orders/a b,                   application, unknown",
        "others/a,                     application, fits", // no topic of ours
        "~orders/partition-1,          application, fits", // the same in both
        "~orders/partition-1,          topic,       fits",
        "~spread-1,                    topic,       application",
        "~spread-1,                    application, fits",
        "~orders/spread-1,             application, topic",
        "~orders/spread-1,             topic,       fits"
    })
    void aScopeIsShownByTheNamesOfTopicsBeforeKeys(String keys, String scope, String verdict) {
        assertThat(verdict(keys(keys), "key.scope", scope)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        "a,                            on.null.key,     spread,    fits",
        "a,                            null.key.spread, 64,        fits",
        "~orders/partition-1,          on.null.key,     partition, fits",
        "~orders/partition-1,          on.null.key,     spread,    partition",
        "~spread-1,                    on.null.key,     partition, spread",
        "~orders/spread-1,             on.null.key,     partition, spread",
        "~spread-1,                    on.null.key,     spread,    fits",
        "~spread-1,                    null.key.spread, 64,        unknown",
        "~spread-5/partition-1,        on.null.key,     partition, fits" // a topic's name
    })
    void aRuleForRecordsWithoutAKeyIsShownByReservedKeys(
            String keys, String name, String value, String verdict) {
        assertThat(verdict(keys(keys), name, value)).isEqualTo(verdict);
    }

    @Test
    void otherNamesHaveNothingToDoWithKeys() {
        assertThat(verdict(List.of("a"), "handler.version", "2")).isEqualTo("fits");
    }
}
