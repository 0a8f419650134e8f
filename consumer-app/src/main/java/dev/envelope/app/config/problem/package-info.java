/** The problems of a configuration, their places, and how they are printed. */
@NullMarked
package dev.envelope.app.config.problem;

import org.jspecify.annotations.NullMarked;
