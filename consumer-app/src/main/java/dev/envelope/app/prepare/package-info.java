/** An archive of classes, made while the process is idle, with which later starts are faster. */
@NullMarked
package dev.envelope.app.prepare;

import org.jspecify.annotations.NullMarked;
