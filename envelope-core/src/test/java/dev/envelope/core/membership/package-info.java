@NullMarked
package dev.envelope.core.membership;

import org.jspecify.annotations.NullMarked;
