@NullMarked
package dev.envelope.core.position;

import org.jspecify.annotations.NullMarked;
