/**
 * Where an engine's records come from: a client as Kafka's, and what is known of the logs behind
 * it. A source that is no topic has a name with a colon in it, which no topic can have.
 */
@NullMarked
package dev.envelope.core.source;

import org.jspecify.annotations.NullMarked;
