@NullMarked
package dev.envelope.core.pool;

import org.jspecify.annotations.NullMarked;
