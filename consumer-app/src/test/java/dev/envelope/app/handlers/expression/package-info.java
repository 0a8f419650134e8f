@NullMarked
package dev.envelope.app.handlers.expression;

import org.jspecify.annotations.NullMarked;
