/**
 * A pool of workers for messages that do not depend on each other, usable without Kafka and without
 * the rest of the library.
 *
 * <p>Each worker has a thread and a bounded mailbox. The workers stand in a queue: a message goes
 * to the first one, which then stands last; if its mailbox is full the next one is tried, and if
 * all are full the sender is told. A worker that throws is dead: another one of the same factory
 * takes its place and its mailbox, and the message that it was at is tried elsewhere, a few times
 * at most. The answer comes back to who has sent the message, whoever has handled it. A pool may be
 * a worker of a pool: a message is then handed on, and no thread waits for it.
 *
 * <p>The consumer does not use it: keys keep their order only in shards.
 */
@NullMarked
package dev.envelope.core.workers;

import org.jspecify.annotations.NullMarked;
