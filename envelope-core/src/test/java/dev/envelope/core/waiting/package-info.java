@NullMarked
package dev.envelope.core.waiting;

import org.jspecify.annotations.NullMarked;
