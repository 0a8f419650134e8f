/** Spans for OpenTelemetry, where there is an SDK or agent. */
@NullMarked
package dev.envelope.app.tracing;

import org.jspecify.annotations.NullMarked;
