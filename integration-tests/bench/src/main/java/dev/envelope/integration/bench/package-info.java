/**
 * The benchmark behind {@code scripts/bench}: ours beside what people write instead, on a real
 * broker and a real Postgres.
 *
 * <p>A {@code Workload} is a topic, made once and the same at every run. A {@code Contestant} is a
 * way to bring it into rows; {@code TimedRun} starts it as a process of its own on an empty schema,
 * compares every row that it has left with the {@code ExpectedBalances}, and says what it cost.
 * Rounds are interleaved (A B C A B C), so that what disturbs the machine disturbs all of them, and
 * contestants are compared within a round only.
 */
@NullMarked
package dev.envelope.integration.bench;

import org.jspecify.annotations.NullMarked;
