/**
 * Sends what handlers have emitted to Kafka.
 *
 * <p>A batch is one Kafka transaction: its records, and the batch's number as the committed offset
 * of a group that has the name of the transactional id. The number is in Postgres before the
 * transaction commits, and the rows are deleted afterwards. So after a crash, or when a reply is
 * lost, two questions settle what became of the batch: which number is open in Postgres, and which
 * one is committed in Kafka. Before the second question is asked, the transactional id is fenced,
 * so that the answer is final.
 */
@NullMarked
package dev.envelope.idempotency.output;

import org.jspecify.annotations.NullMarked;
