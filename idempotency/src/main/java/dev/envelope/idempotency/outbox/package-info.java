/**
 * Records that are written to Postgres in the transaction of their change and delivered to Kafka
 * afterwards: dead letters.
 *
 * <p>A message that is given up becomes a row of the outbox, in the transaction that advances its
 * key's marks past it. That is its disposition: from then on offsets advance, even if Kafka is
 * away. The relay delivers the rows and deletes each only after it was acknowledged. So a dead
 * letter can arrive twice, but always under the same id: {@code envelope.id} consists of
 * application, topic id, partition, offset and leader epoch.
 *
 * <p>A lease lets one process relay at a time. It only avoids repeated deliveries. Each relay sends
 * a key's second record only after the first was acknowledged, so even if two relay at once, the
 * first arrivals of the ids are in the key's order.
 *
 * <p>Positions in the outbox come from a sequence, which a failover can set back. So what was read
 * in one incarnation of the database is deleted in that incarnation only (I12).
 */
@NullMarked
package dev.envelope.idempotency.outbox;

import org.jspecify.annotations.NullMarked;
