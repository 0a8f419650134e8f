@NullMarked
package dev.envelope.core;

import org.jspecify.annotations.NullMarked;
