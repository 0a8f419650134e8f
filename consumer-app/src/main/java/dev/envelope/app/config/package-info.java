/**
 * The configuration of the process: one properties file, read, checked and turned into typed values
 * before anything is opened.
 *
 * <p>{@link dev.envelope.app.config.ConfigLoader} does this in one sequence: the layers are merged
 * (file, environment, command line), references to secrets are resolved, each text becomes a value
 * of its setting's type, what is not set gets its default, and the values are checked against each
 * other. A problem never ends the sequence; all are reported at once. A value that was refused is
 * absent from the later checks, so that no problem is reported twice.
 */
@NullMarked
package dev.envelope.app.config;

import org.jspecify.annotations.NullMarked;
