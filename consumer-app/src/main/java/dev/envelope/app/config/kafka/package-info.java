/**
 * The settings that go through to the Kafka clients: checked against the clients' own lists, and
 * refused where the engine has decided.
 */
@NullMarked
package dev.envelope.app.config.kafka;

import org.jspecify.annotations.NullMarked;
