/** Recent figures, in a bounded amount of memory: durations, hot keys, events. */
@NullMarked
package dev.envelope.app.ops.recent;

import org.jspecify.annotations.NullMarked;
