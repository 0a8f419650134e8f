/**
 * The contestants of the benchmark, each in a process of its own: ours and what people write
 * instead.
 *
 * <p>All of them are timed alike. The clock starts when a poll of the Kafka client first brings
 * records (an interceptor of the client sees that), and stops when the last record's transaction
 * has committed. So neither a JVM's start nor a group's rebalance is counted, and what is fetched
 * but not saved is not either.
 */
@NullMarked
package dev.envelope.integration.bench.client;

import org.jspecify.annotations.NullMarked;
