/**
 * Records that are written to Postgres with the change that they come with, and delivered to Kafka
 * afterwards: dead letters.
 *
 * <p>A message that has failed for the last time becomes a row of the outbox, in the transaction
 * that moves its key's marks past it. That is its disposition: from then on offsets go on, whatever
 * becomes of Kafka. The relay delivers the rows, and deletes each only after it was acknowledged.
 * So a dead letter can arrive twice, but not under two ids: {@code envelope.id} is made of
 * application, topic id, partition, offset and leader epoch.
 *
 * <p>One process relays at a time, by a lease. That spares repetitions; nothing else rests on it:
 * each relay sends a key's second record only after its first was acknowledged, so that even of two
 * at once the first arrival of each id is in the key's order.
 *
 * <p>Places in the outbox are counted by a sequence, which a fail-over can take back. So what was
 * read in one life of the database is deleted in that life only (I12).
 */
@NullMarked
package dev.envelope.idempotency.outbox;

import org.jspecify.annotations.NullMarked;
