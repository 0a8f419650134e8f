/**
 * How bytes become objects by Kafka's deserializers, and whose fault it is when they don't.
 *
 * <p>Keys and values share it: a deserializer may ask a registry of schemas, which may be away or
 * hang. {@code DecodeFault} tells that from bytes that are not of the format, and {@code
 * Deserializers} keeps a registry that hangs from holding every thread.
 */
@NullMarked
package dev.envelope.core.decode;

import org.jspecify.annotations.NullMarked;
