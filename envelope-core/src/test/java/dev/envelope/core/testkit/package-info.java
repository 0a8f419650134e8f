/**
 * The test kit of the engine: a cluster in memory, a consumer and an environment that are driven by
 * hand, so that every turn of every loop can be called from one thread.
 */
@NullMarked
package dev.envelope.core.testkit;

import org.jspecify.annotations.NullMarked;
