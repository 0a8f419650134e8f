/**
 * From acks to commits.
 *
 * <p>The poll thread keeps one {@code OffsetLedger} per partition epoch: the records received, in
 * order, each unacked or acked. Workers post what they saved to the {@code AckInbox}; the poll
 * thread books it. What may be committed is the first offset not yet acked or, when nothing is
 * unacked, what the client itself says comes next. It is written to the checkpoint in Postgres
 * first and to Kafka after that, so that Kafka is never ahead of the database unless the database
 * went back (I1).
 */
@NullMarked
package dev.envelope.core.offset;

import org.jspecify.annotations.NullMarked;
