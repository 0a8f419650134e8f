/**
 * The configuration of the process: one properties file, read, checked and turned into typed values
 * before anything is opened.
 *
 * <p>{@link dev.envelope.app.config.ConfigLoader} goes through it in one sequence: the sources are
 * laid over each other (file, environment, command line), references to secrets are resolved, each
 * text becomes a value of its setting's type, what is missing gets its default, and the values are
 * held against each other. A problem never ends the sequence; all of them are told at once. A value
 * that a problem took away is absent from the later checks, so that no problem is told twice.
 */
@NullMarked
package dev.envelope.app.config;

import org.jspecify.annotations.NullMarked;
