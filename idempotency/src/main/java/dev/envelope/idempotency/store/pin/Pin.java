package dev.envelope.idempotency.store.pin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A setting that is recorded in the database.
 *
 * @param formerly the value that it replaced, if any
 * @param by the instance that recorded it
 */
public record Pin(String name, String value, @Nullable String formerly, String by, Instant since) {}
