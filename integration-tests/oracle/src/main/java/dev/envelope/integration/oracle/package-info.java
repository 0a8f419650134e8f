/**
 * How to know that nothing was lost, doubled or put out of order: the truth is the log.
 *
 * <p>The {@link dev.envelope.integration.oracle.LedgerWorkload} derives events from a seed; the
 * {@link dev.envelope.integration.oracle.LedgerFold} keeps count, sum and a hash chain per key, so
 * that any loss, doubling or change of order shows in the row. A {@link
 * dev.envelope.integration.oracle.Journal} in the database records every save of a row in the
 * transaction that made it. The {@link dev.envelope.integration.oracle.ReferenceReplay} reads the
 * topic from its start with one thread and no product code around it; the {@link
 * dev.envelope.integration.oracle.Oracle} holds the rows, the journal and the parked messages
 * against it, and the {@link dev.envelope.integration.oracle.CommitSampler} looks, while the run is
 * going on, whether Kafka has been told more than Postgres knows.
 */
@NullMarked
package dev.envelope.integration.oracle;

import org.jspecify.annotations.NullMarked;
