package dev.envelope.idempotency;

import java.time.Duration;

/**
 * How long what is not needed any more stays in the database.
 *
 * @param deletedKeys the row of a deleted key; longer than any process can hang with messages that
 *     it has fetched
 * @param audit the records of operators' requests
 * @param replies the answers to commands
 */
public record Retention(Duration deletedKeys, Duration audit, Duration replies) {}
