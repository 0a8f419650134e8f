package dev.envelope.idempotency.store.pin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A setting as it is written down in the database.
 *
 * @param formerly the value before it, where somebody has replaced one
 * @param by the instance that wrote it
 */
public record Pin(String name, String value, @Nullable String formerly, String by, Instant since) {}
