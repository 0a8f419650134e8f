/** What was seen a moment ago, in a bounded amount of memory: times, hot keys, what happened. */
@NullMarked
package dev.envelope.app.ops.recent;

import org.jspecify.annotations.NullMarked;
