/**
 * Commands for callers outside: they are put into the log as any other record, and their callers
 * wait for the answer that the save leaves in the table {@code reply}. And rows for callers
 * outside.
 *
 * <p><b>Who answers.</b> Whichever process handles the record saves the answer together with the
 * row. So any process can wait for any key: it looks for the answers of all that wait, in one
 * statement every few milliseconds while there are some. No owner is asked, and a rebalance changes
 * nothing.
 *
 * <p><b>A repeated command</b> is answered from the stored answer before anything is produced. One
 * that is still under way at this process is joined. If two processes get it at once, there are two
 * records with its id in a header: the second one is found to be a duplicate when it is folded,
 * since the first one has left an answer.
 *
 * <p><b>Under load</b> nothing queues without a limit: the number of callers and the bytes are
 * counted, and a caller beyond is told at once. The same if the brokers or the database do not
 * answer.
 */
@NullMarked
package dev.envelope.idempotency.command;

import org.jspecify.annotations.NullMarked;
