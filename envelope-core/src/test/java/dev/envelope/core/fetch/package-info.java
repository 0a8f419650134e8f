@NullMarked
package dev.envelope.core.fetch;

import org.jspecify.annotations.NullMarked;
