@NullMarked
package dev.envelope.app.handlers;

import org.jspecify.annotations.NullMarked;
