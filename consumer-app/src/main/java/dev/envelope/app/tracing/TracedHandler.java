package dev.envelope.app.tracing;

import dev.envelope.core.api.Message;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Turn;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.List;

/**
 * Makes a span for each envelope, from the beginning of its fold until it is durable, with links to
 * the spans in which its messages were sent. Spans of user code are inside it.
 */
public final class TracedHandler implements EnvelopeHandler {

    private static final String SCOPE = "dev.envelope";

    private final EnvelopeHandler handler;
    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final String group;

    private TracedHandler(EnvelopeHandler handler, OpenTelemetry telemetry, String group) {
        this.handler = handler;
        this.tracer = telemetry.getTracer(SCOPE);
        this.propagator = telemetry.getPropagators().getTextMapPropagator();
        this.group = group;
    }

    /** The handler itself if there is no tracing, so that it costs nothing. */
    public static EnvelopeHandler around(
            EnvelopeHandler handler, OpenTelemetry telemetry, String group) {
        boolean isTraced = telemetry.getTracerProvider() != TracerProvider.noop();
        return isTraced ? new TracedHandler(handler, telemetry, group) : handler;
    }

    @Override
    public void handle(Turn turn) {
        TracedTurn traced = new TracedTurn(turn, tracer, propagator, group);
        try {
            handler.handle(traced);
        } finally {
            traced.endAll();
        }
    }

    @Override
    public boolean hasRoom() {
        return handler.hasRoom();
    }

    @Override
    public void dying(List<Message> underWay) {
        handler.dying(underWay);
    }
}
