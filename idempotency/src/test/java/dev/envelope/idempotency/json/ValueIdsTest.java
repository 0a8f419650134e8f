package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import dev.envelope.idempotency.json.id.CloudEventIds;
import dev.envelope.idempotency.json.id.IdSetting;
import dev.envelope.idempotency.json.id.JsonPointerIds;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ValueIdsTest {

    private static final String STRUCTURED = "application/cloudevents+json; charset=UTF-8";

    private final MessageIds pointer = new JsonPointerIds("/meta/id");
    private final MessageIds cloudEvents = new CloudEventIds();

    @Test
    void findsIdsByPointer() {
        assertThat(pointer.find(SampleMessages.of("{\"meta\":{\"id\":\"e-1\"}}")))
                .isEqualTo(hash("e-1"));
        assertThat(pointer.find(SampleMessages.of("{\"meta\":{\"id\":7}}"))).isEqualTo(hash("7"));
        assertThat(pointer.find(SampleMessages.of("{\"meta\":{\"id\":7.0}}"))).isEqualTo(hash("7"));
    }

    @Test
    void countsMissingNullAndEmptyAsNoId() {
        assertThat(pointer.find(SampleMessages.of("{}"))).isNull();
        assertThat(pointer.find(SampleMessages.of("{\"meta\":{\"id\":null}}"))).isNull();
        assertThat(pointer.find(SampleMessages.of("{\"meta\":{\"id\":\"\"}}"))).isNull();
        assertThat(pointer.find(SampleMessages.tombstone())).isNull();
    }

    @Test
    void equalNumbersAreOneIdHoweverTheyAreWritten() {
        for (String same : List.of("100", "100.0", "1e2", "1.00E+2", "10000e-2", "\"100\"")) {
            assertThat(idOf(same)).as(same).isEqualTo(hash("100"));
        }
        for (String same : List.of("0", "-0", "0.0", "-0.0", "0e5", "-0E-7", "0e999999999")) {
            assertThat(idOf(same)).as(same).isEqualTo(hash("0"));
        }
        String least = Long.toString(Long.MIN_VALUE);
        for (String same : List.of(least, least + ".00", "-9.223372036854775808e18")) {
            assertThat(idOf(same)).as(same).isEqualTo(hash(least));
        }
        for (String same :
                List.of("9223372036854775810", "9223372036854775810.0", "922337203685477581e1")) {
            assertThat(idOf(same)).as(same).isEqualTo(idOf("9.22337203685477581E+18"));
        }
        for (String same : List.of("2.5", "2.50", "25e-1", "0.25E1")) {
            assertThat(idOf(same)).as(same).isEqualTo(hash("2.5"));
        }
        assertThat(idOf("100")).isNotEqualTo(idOf("1000")).isNotEqualTo(idOf("-100"));
    }

    @Test
    void theIdsOfRowsThatStandAreWhatTheyWere() {
        assertThat(idOf("9223372036854775807")).isEqualTo(hash("9223372036854775807"));
        assertThat(idOf("-100")).isEqualTo(hash("-100"));
        assertThat(idOf("18446744073709551610")).isEqualTo(hash("1.844674407370955161E+19"));
        assertThat(idOf("0.0000001")).isEqualTo(hash("1E-7"));
    }

    @Test
    void aShortNumberWithALongExpansionIsAShortId() {
        assertThat(idOf("1e999999999")).isEqualTo(hash("1E+999999999"));
        assertThat(idOf("10e999999998")).isEqualTo(hash("1E+999999999"));
        assertThat(idOf("1e-999999999")).isEqualTo(hash("1E-999999999"));
    }

    @Test
    void refusesNumbersWithEndlessExponents() {
        for (String number :
                List.of("1e9999999999", "-1e9999999999", "1e-9999999999", "100e2147483647")) {
            assertThatThrownBy(() -> idOf(number))
                    .as(number)
                    .isInstanceOf(MalformedException.class)
                    .satisfies(JsonStateCodecTest::isBrief);
        }
        assertThatThrownBy(
                        () ->
                                cloudEvents.find(
                                        SampleMessages.of(
                                                "{\"id\":1e9999999999,\"source\":\"/s\"}",
                                                "content-type",
                                                STRUCTURED)))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void refusesIdsThatAreNoSingleText() {
        assertThatThrownBy(() -> pointer.find(SampleMessages.of("{\"meta\":{\"id\":[1]}}")))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("/meta/id");
        assertThatThrownBy(() -> pointer.find(SampleMessages.of("{")))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void findsTheSameCloudEventInBothModes() {
        IdHash binary =
                cloudEvents.find(SampleMessages.of("x", "ce_source", "/shop", "ce_id", "e-1"));
        IdHash structured =
                cloudEvents.find(
                        SampleMessages.of(
                                "{\"specversion\":\"1.0\",\"id\":\"e-1\",\"source\":\"/shop\"}",
                                "content-type",
                                STRUCTURED));
        assertThat(binary).isNotNull().isEqualTo(structured);
        assertThat(cloudEvents.find(SampleMessages.of("x", "ce_source", "/hop", "ce_id", "e-1")))
                .isNotNull()
                .isNotEqualTo(binary);
    }

    @Test
    void needsSourceAndIdOfACloudEvent() {
        assertThat(cloudEvents.find(SampleMessages.of("x"))).isNull();
        assertThat(cloudEvents.find(SampleMessages.of("x", "ce_id", "e-1"))).isNull();
        assertThat(cloudEvents.find(SampleMessages.of("x", "ce_source", "/s", "ce_id", "")))
                .isNull();
        assertThat(
                        cloudEvents.find(
                                SampleMessages.of("{\"id\":\"e\"}", "content-type", STRUCTURED)))
                .isNull();
    }

    @Test
    void readsOnlyJsonAsAStructuredCloudEvent() {
        assertThatThrownBy(
                        () ->
                                cloudEvents.find(
                                        SampleMessages.of(
                                                "x",
                                                "content-type",
                                                "application/cloudevents+avro")))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("avro");
        assertThat(
                        cloudEvents.find(
                                SampleMessages.of(
                                        "x",
                                        "content-type",
                                        "application/json",
                                        "ce_source",
                                        "/s",
                                        "ce_id",
                                        "1")))
                .isNotNull();
    }

    @Test
    void readsTheSetting() {
        assertThat(IdSetting.parse("none")).isSameAs(MessageIds.NONE);
        assertThat(IdSetting.parse("header:event-id")).isEqualTo(new HeaderIds("event-id"));
        assertThat(IdSetting.parse("cloudevents")).isInstanceOf(CloudEventIds.class);
        assertThat(IdSetting.parse("json:/id")).isInstanceOf(JsonPointerIds.class);
        assertThatThrownBy(() -> IdSetting.parse("json:id")).hasMessageContaining("slash");
        assertThatThrownBy(() -> IdSetting.parse("header:")).hasMessageContaining("name");
        assertThatThrownBy(() -> IdSetting.parse("uuid")).hasMessageContaining("expected none");
    }

    private @Nullable IdHash idOf(String json) {
        return pointer.find(SampleMessages.of("{\"meta\":{\"id\":" + json + "}}"));
    }

    private static IdHash hash(String id) {
        return IdHash.of(id.getBytes(StandardCharsets.UTF_8));
    }
}
