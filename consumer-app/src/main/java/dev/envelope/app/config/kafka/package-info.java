/**
 * The settings that are passed to the Kafka clients: checked against the clients' own definitions,
 * and refused where only the engine may set them.
 */
@NullMarked
package dev.envelope.app.config.kafka;

import org.jspecify.annotations.NullMarked;
