package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import java.nio.charset.StandardCharsets;
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

    private static IdHash hash(String id) {
        return IdHash.of(id.getBytes(StandardCharsets.UTF_8));
    }
}
