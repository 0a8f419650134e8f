@NullMarked
package dev.envelope.app.prepare;

import org.jspecify.annotations.NullMarked;
