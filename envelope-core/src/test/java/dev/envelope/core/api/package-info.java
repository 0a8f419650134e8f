@NullMarked
package dev.envelope.core.api;

import org.jspecify.annotations.NullMarked;
