@NullMarked
package dev.envelope.core.offset;

import org.jspecify.annotations.NullMarked;
