/**
 * What the page shows of the last quarter of an hour: samples, hot keys, and what happened when. A
 * process keeps it for itself, in a bounded amount of memory; what is to outlive it is for a
 * metrics server.
 */
@NullMarked
package dev.envelope.app.ops.live;

import org.jspecify.annotations.NullMarked;
