package dev.envelope.app.config;

import dev.envelope.app.config.problem.Origin;

/**
 * A setting in effect: its name, the text that may be shown, and where it comes from.
 *
 * @param shown the text as it was written, with secrets hidden and references not resolved
 */
public record Setting(String name, String shown, Origin origin) {}
