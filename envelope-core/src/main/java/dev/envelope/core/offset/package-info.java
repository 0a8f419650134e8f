/**
 * From acks to commits.
 *
 * <p>The poll thread keeps one {@code OffsetLedger} per partition epoch: the records received, in
 * order, each unacked or acked. Workers post what they saved to the {@code AckInbox}; the poll
 * thread books it. What may be committed is the first offset not yet acked or, when nothing is
 * unacked, what the client itself says comes next. It is written to the checkpoint in Postgres
 * first and to Kafka after that, so that Kafka is never ahead of the database unless the database
 * went back (I1).
 *
 * <p>On assignment the {@code PositionFinder} goes the way back: the lower of checkpoint and
 * commit, unless the log, the topic's id or an operator's commit say that a person has to decide.
 * Our commits carry a stamp that tells them from an operator's. It reads the commits before the
 * checkpoints: as each commit of ours follows its checkpoint, what another instance does meanwhile
 * can't look like a commit that the database knows nothing of.
 */
@NullMarked
package dev.envelope.core.offset;

import org.jspecify.annotations.NullMarked;
