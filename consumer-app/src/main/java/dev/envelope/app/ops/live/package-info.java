/**
 * What the page shows of the last quarter of an hour: samples, hot keys, events. Each process keeps
 * its own, in a bounded amount of memory; to keep figures longer, use a metrics server.
 */
@NullMarked
package dev.envelope.app.ops.live;

import org.jspecify.annotations.NullMarked;
