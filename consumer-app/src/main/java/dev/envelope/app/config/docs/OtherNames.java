package dev.envelope.app.config.docs;

import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.ReadKeys;
import java.util.List;

/**
 * What people who come from elsewhere look for, and what it is called here.
 *
 * @param theirs the names that they know
 * @param ours the settings that come nearest
 * @param difference what is not the same
 */
record OtherNames(String theirs, List<Key<?>> ours, String difference) {

    static final List<OtherNames> ALL =
            List.of(
                    new OtherNames(
                            "Kafka `group.id`, Streams `application.id`",
                            List.of(ReadKeys.APPLICATION_ID),
                            "Also the name of the schema, unless `store.schema` gives another."),
                    new OtherNames(
                            "Kafka `auto.offset.reset`, Spring `seekToBeginning`",
                            List.of(ReadKeys.START_FROM),
                            "Only where neither the database nor the group knows a position."),
                    new OtherNames(
                            "Streams `consumer.` and `main.consumer.`, Spring"
                                    + " `spring.kafka.properties.*`, Connect `consumer.override.*`",
                            List.of(),
                            "`kafka.consumer.*`, `kafka.producer.*`, `kafka.admin.*`, and `kafka.*`"
                                    + " for all of them."),
                    new OtherNames(
                            "Streams `num.stream.threads`, Spring `concurrency`, Parallel Consumer"
                                    + " `maxConcurrency`, Decaton `decaton.partition.concurrency`,"
                                    + " Connect `tasks.max`",
                            List.of(LimitKeys.POOL_SIZE, LimitKeys.POOL_SIZE_MAX),
                            "Workers of a process, whatever the number of partitions."),
                    new OtherNames(
                            "Spring batch listeners' `max.poll.records`, Parallel Consumer"
                                    + " `batchSize`, Connect `batch.size`",
                            List.of(LimitKeys.ENVELOPE_MAX_MESSAGES, LimitKeys.TURN_MAX_MESSAGES),
                            "A most, never a least: nothing waits for a batch to fill."),
                    new OtherNames(
                            "Streams `statestore.cache.max.bytes`",
                            List.of(LimitKeys.CACHE_MAX_BYTES),
                            "A cache of rows; what is not in it is loaded."),
                    new OtherNames(
                            "Streams `buffered.records.per.partition`, Decaton"
                                    + " `decaton.max.pending.records`",
                            List.of(LimitKeys.PREFETCH_MAX_BYTES),
                            "In bytes, over all partitions."),
                    new OtherNames(
                            "Spring `DefaultErrorHandler` with a back-off, Connect"
                                    + " `errors.retry.timeout`, Parallel Consumer"
                                    + " `retryDelayProvider`",
                            List.of(
                                    FailureKeys.RETRY_MAX_ATTEMPTS,
                                    FailureKeys.RETRY_BACKOFF_INITIAL,
                                    FailureKeys.RETRY_BACKOFF_MAX),
                            "The key waits, and others flow."),
                    new OtherNames(
                            "Spring `DeadLetterPublishingRecoverer`, Connect"
                                    + " `errors.deadletterqueue.topic.name`, Streams"
                                    + " `errors.dead.letter.queue.topic.name`",
                            List.of(FailureKeys.ON_FAILURE, OutboxKeys.TOPIC, OutboxKeys.HEADERS),
                            "By default a message is parked in the database instead, with what comes"
                                    + " after it of its key."),
                    new OtherNames(
                            "Streams `commit.interval.ms`, Spring `AckMode.TIME`, Connect"
                                    + " `offset.flush.interval.ms`",
                            List.of(LimitKeys.COMMIT_INTERVAL),
                            "Of Kafka's offsets; rows are durable before."),
                    new OtherNames(
                            "Spring `shutdownTimeout`, Streams `close(timeout)`",
                            List.of(OperationKeys.SHUTDOWN_DRAIN_TIMEOUT),
                            "What is not saved by then is read again."));
}
