/** What a run under faults is made of: its faults' order, its verdict, its report. */
@NullMarked
package dev.envelope.integration.soak;

import org.jspecify.annotations.NullMarked;
