@NullMarked
package dev.envelope.core.decode;

import org.jspecify.annotations.NullMarked;
