/** What an OpenTelemetry SDK or agent is told, where there is one. */
@NullMarked
package dev.envelope.app.tracing;

import org.jspecify.annotations.NullMarked;
