package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.tracing.TracedHandler;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.integration.example.Balances;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a tracer is told, by the real SDK. */
class TracingTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk =
            OpenTelemetrySdk.builder()
                    .setTracerProvider(
                            SdkTracerProvider.builder()
                                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                                    .build())
                    .setPropagators(
                            ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
                    .build();
    private final InMemoryDatabase database = new InMemoryDatabase();
    private final EnvelopeHandler handler = handler(new Balances());

    private EnvelopeHandler handler(Balances fold) {
        return new IdempotentHandler<>(
                new EnvelopeFold<>(
                        (balance, payment, message) -> {
                            sdk.getTracer("user").spanBuilder("inside").startSpan().end();
                            return fold.apply(balance, payment, message);
                        },
                        JsonStateCodec.of(Balances.Balance.class),
                        JsonValueFormat.of(Balances.Payment.class),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        1 << 20),
                new InMemoryStateStore(database),
                1 << 20,
                Telemetry.NONE);
    }

    @AfterEach
    void close() {
        sdk.close();
    }

    private Envelope envelope(String key, String value, int messages) {
        List<Message> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            Message message =
                    Records.message(Records.epoch(1, 1, database.incarnation()), i, key, value);
            String parent = "00-%s-%016x-01".formatted(TRACE, i + 1);
            all.add(
                    Records.withHeader(
                            message, "traceparent", parent.getBytes(StandardCharsets.UTF_8)));
        }
        return Envelope.of(key, all);
    }

    private List<SpanData> spans(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(it -> it.getName().equals(name))
                .toList();
    }

    @Test
    void anEnvelopeIsOneSpanWithLinksToTheSpansOfItsMessages() {
        TracedHandler.around(handler, sdk, "balances")
                .handle(new HandTurn(envelope("a", "{\"cents\":1}", 3)));

        assertThat(spans("process t")).hasSize(1);
        SpanData span = spans("process t").get(0);
        assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(span.getLinks())
                .extracting(it -> it.getSpanContext().getSpanId())
                .containsExactly("0000000000000001", "0000000000000002", "0000000000000003");
        assertThat(span.getLinks()).allMatch(it -> it.getSpanContext().getTraceId().equals(TRACE));
        assertThat(span.getAttributes().asMap().toString())
                .contains("messaging.batch.message_count=3")
                .contains("messaging.consumer.group.name=balances")
                .contains("envelope.outcome=saved");
        assertThat(spans("inside"))
                .hasSize(3)
                .allMatch(it -> it.getParentSpanId().equals(span.getSpanId()));
    }

    @Test
    void linksAreCapped() {
        TracedHandler.around(handler, sdk, "balances")
                .handle(new HandTurn(envelope("a", "{\"cents\":1}", 1_000)));

        assertThat(spans("process t").get(0).getLinks()).hasSize(64);
    }

    @Test
    void aFailureIsAnErrorWithItsException() {
        TracedHandler.around(handler, sdk, "balances")
                .handle(new HandTurn(envelope("a", "no JSON", 1)));

        SpanData span = spans("process t").get(0);
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getEvents()).hasSize(1);
        assertThat(span.getAttributes().asMap().toString()).contains("envelope.outcome=failed");
    }

    @Test
    void whereNobodyTracesTheHandlerIsTheHandler() {
        assertThat(TracedHandler.around(handler, OpenTelemetry.noop(), "balances"))
                .isSameAs(handler);
    }
}
