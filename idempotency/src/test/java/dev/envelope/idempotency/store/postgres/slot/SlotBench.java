package dev.envelope.idempotency.store.postgres.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** Processes that share a database, each played by the test. */
abstract class SlotBench {

    static final Duration TIMEOUT = Duration.ofSeconds(2);

    final PostgresFixture fixture = new PostgresFixture();
    final List<SlotLocks> processes = new ArrayList<>();

    @AfterEach
    final void close() {
        processes.forEach(SlotLocks::close);
        fixture.close();
    }

    final SlotLocks process(String name, int slots, int perProcess) {
        return process(name, new SlotPlan(slots, perProcess, TIMEOUT));
    }

    final SlotLocks process(String name, SlotPlan plan) {
        SlotLocks process =
                new SlotLocks(
                        new PostgresSlotSessions(fixture.settings(name), TIMEOUT, null),
                        plan,
                        System::nanoTime);
        processes.add(process);
        turn(process);
        return process;
    }

    /** Its poll thread goes round, too. */
    static void turn(SlotLocks process) {
        process.isReading(process.most());
        while (process.turn()) {
            process.isReading(process.most());
        }
    }

    static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waits too long").isLessThan(until);
            try {
                Thread.sleep(20); // between two looks of a process
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static Map<Integer, Long> slotsOf(SlotLocks process) {
        return process.held().slots();
    }

    final Set<Integer> held() {
        Set<Integer> held = new TreeSet<>();
        for (SlotLocks process : processes) {
            for (int slot : slotsOf(process).keySet()) {
                assertThat(held.add(slot)).as("held twice: " + slot).isTrue();
            }
        }
        return held;
    }
}
