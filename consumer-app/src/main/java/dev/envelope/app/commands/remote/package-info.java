/**
 * The commands that ask a running process, over its HTTP API. They find it by the settings that it
 * was started with, or by {@code --url}.
 */
@NullMarked
package dev.envelope.app.commands.remote;

import org.jspecify.annotations.NullMarked;
