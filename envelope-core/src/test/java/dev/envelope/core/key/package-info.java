@NullMarked
package dev.envelope.core.key;

import org.jspecify.annotations.NullMarked;
