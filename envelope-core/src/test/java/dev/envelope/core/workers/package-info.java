@NullMarked
package dev.envelope.core.workers;

import org.jspecify.annotations.NullMarked;
