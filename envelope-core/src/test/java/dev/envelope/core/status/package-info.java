@NullMarked
package dev.envelope.core.status;

import org.jspecify.annotations.NullMarked;
