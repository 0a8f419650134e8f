package dev.envelope.integration.oracle;

import dev.envelope.integration.stack.Database;

/**
 * The tables of an application, or of one slot of it.
 *
 * <p>Threads: immutable.
 */
public record Schema(Database database, String name) {}
