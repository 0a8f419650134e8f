/**
 * Decodes bytes by Kafka's deserializers, and classifies failures.
 *
 * <p>Keys and values share it. A deserializer may ask a schema registry, which may be unavailable
 * or hang: {@code DecodeFault} tells that from bytes that are not of the format, and {@code
 * Deserializers} keeps a registry that hangs from blocking every thread.
 */
@NullMarked
package dev.envelope.core.decode;

import org.jspecify.annotations.NullMarked;
