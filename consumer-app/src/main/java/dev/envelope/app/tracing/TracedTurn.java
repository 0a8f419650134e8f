package dev.envelope.app.tracing;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A turn that makes a span for each envelope that is entered.
 *
 * <p>Threads: one thread, its worker.
 */
final class TracedTurn extends ForwardingTurn {

    /** An envelope may have ten thousand messages; nobody could read so many links. */
    private static final int MOST_LINKS = 64;

    private static final String OUTCOME = "envelope.outcome";

    private static final TextMapGetter<Message> HEADERS =
            (message, name) -> {
                byte[] value = message == null ? null : message.header(name);
                return value == null ? null : new String(value, StandardCharsets.UTF_8);
            };

    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final String group;
    private final @Nullable Span[] spans;
    private @Nullable Scope inside;

    TracedTurn(Turn turn, Tracer tracer, TextMapPropagator propagator, String group) {
        super(turn);
        this.tracer = tracer;
        this.propagator = propagator;
        this.group = group;
        this.spans = new Span[turn.envelopes().size()];
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // leave closes it, and endAll if that is never called
    public boolean enter(int envelope) {
        if (!super.enter(envelope)) {
            return false;
        }
        Span span = spans[envelope];
        if (span == null) { // otherwise its save lost a race, and it is folded again
            span = begin(envelopes().get(envelope));
            spans[envelope] = span;
        }
        inside = span.makeCurrent();
        return true;
    }

    @Override
    public boolean leave(int envelope, @Nullable Object folded) {
        Scope scope = inside;
        if (scope != null) {
            scope.close();
            inside = null;
        }
        return super.leave(envelope, folded);
    }

    @Override
    public void settle(int envelope, Outcome outcome) {
        super.settle(envelope, outcome);
        Span span = spans[envelope];
        if (span != null) {
            spans[envelope] = null;
            span.setAttribute(OUTCOME, outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT));
            if (outcome instanceof Outcome.Failed failed) {
                failed(span, failed.cause());
            } else if (outcome instanceof Outcome.Unavailable unavailable) {
                failed(span, unavailable.cause());
            } else if (outcome instanceof Outcome.Waiting waiting && waiting.cause() != null) {
                failed(span, waiting.cause());
            }
            span.end();
        }
    }

    private static void failed(Span span, Throwable cause) {
        span.recordException(cause);
        span.setStatus(StatusCode.ERROR);
    }

    /** Ends the spans of envelopes that the turn has not settled; they come again in another. */
    void endAll() {
        if (inside != null) {
            inside.close();
        }
        for (Span span : spans) {
            if (span != null) {
                span.setAttribute(OUTCOME, "left");
                span.end();
            }
        }
    }

    private Span begin(Envelope envelope) {
        Message first = envelope.first();
        SpanBuilder builder =
                tracer.spanBuilder("process " + first.topic())
                        .setSpanKind(SpanKind.CONSUMER)
                        .setNoParent()
                        .setAttribute("messaging.system", "kafka")
                        .setAttribute("messaging.operation.type", "process")
                        .setAttribute("messaging.destination.name", first.topic())
                        .setAttribute(
                                "messaging.destination.partition.id",
                                Integer.toString(first.partition()))
                        .setAttribute("messaging.consumer.group.name", group)
                        .setAttribute("messaging.kafka.offset", first.offset())
                        .setAttribute("messaging.batch.message_count", envelope.size());
        envelope.messages().stream()
                .map(message -> propagator.extract(Context.root(), message, HEADERS))
                .map(sent -> Span.fromContext(sent).getSpanContext())
                .filter(SpanContext::isValid)
                .limit(MOST_LINKS)
                .forEach(builder::addLink);
        return builder.startSpan();
    }
}
