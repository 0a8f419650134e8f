package dev.envelope.idempotency.store.postgres.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.slot.SlotLocks.Holder;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Processes that share a database, each played by the test. */
class PostgresSlotsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final PostgresFixture fixture = new PostgresFixture();
    private final List<SlotLocks> processes = new ArrayList<>();

    @AfterEach
    void close() {
        processes.forEach(SlotLocks::close);
        fixture.close();
    }

    private SlotLocks process(String name, int slots, int perProcess) {
        SlotLocks process =
                new SlotLocks(
                        new PostgresSlotSessions(fixture.settings(name), TIMEOUT, ""),
                        new SlotPlan(slots, perProcess, TIMEOUT),
                        System::nanoTime);
        processes.add(process);
        turn(process);
        return process;
    }

    /** Its poll thread goes round, too. */
    private static void turn(SlotLocks process) {
        process.isReading(process.count());
        process.turn();
    }

    private static void await(BooleanSupplier condition) {
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

    private Set<Integer> held() {
        Set<Integer> held = new TreeSet<>();
        for (SlotLocks process : processes) {
            for (int slot : process.held().keySet()) {
                assertThat(held.add(slot)).as("held twice: " + slot).isTrue();
            }
        }
        return held;
    }

    @Test
    void eachProcessHoldsAnotherSlotUntilAllAreTaken() {
        process("a", 3, 1);
        process("b", 3, 1);
        process("c", 3, 1);
        SlotLocks spare = process("d", 3, 1);

        assertThat(held()).containsExactly(0, 1, 2);
        assertThat(spare.held()).isEmpty();
        assertThat(spare.seen().waiting()).containsExactly("d");
        assertThat(spare.seen().holders())
                .extracting(Holder::instance)
                .containsExactlyInAnyOrder("a", "b", "c");
        assertThat(spare.seen().free()).isEmpty();
    }

    @Test
    void aProcessMayHoldSeveral() {
        SlotLocks first = process("a", 3, 2);
        SlotLocks second = process("b", 3, 2);

        assertThat(first.held()).hasSize(2);
        assertThat(second.held()).hasSize(1);
        assertThat(held()).containsExactly(0, 1, 2);
    }

    @Test
    void whoEndsGivesUpAndAnotherTakesOver() {
        SlotLocks holder = process("a", 1, 1);
        SlotLocks spare = process("b", 1, 1);
        List<String> told = new ArrayList<>();
        spare.onChange(() -> told.add("changed"));

        holder.close();
        await(
                () -> {
                    turn(spare);
                    return !spare.held().isEmpty();
                });

        assertThat(told).containsExactly("changed");
        assertThat(holder.held()).isEmpty();
    }

    @Test
    void aSessionThatBreaksIsNoticedAndWhatIsTakenAgainIsAnotherTenure() {
        SlotLocks process = process("a", 1, 1);
        assertThat(process.held()).containsEntry(0, 1L);

        fixture.server()
                .execute(
                        "SELECT pg_terminate_backend(l.pid) FROM pg_locks l"
                                + " JOIN pg_namespace n ON n.oid = l.classid"
                                + " WHERE l.locktype = 'advisory' AND l.objid = 0 AND n.nspname = '"
                                + fixture.settings().schema()
                                + "'");
        await(
                () -> {
                    turn(process);
                    return process.held().isEmpty();
                });
        assertThat(process.seen().trouble()).isNotEmpty();

        await(
                () -> {
                    turn(process);
                    return !process.held().isEmpty();
                });
        assertThat(process.held()).containsEntry(0, 2L);
        assertThat(process.seen().trouble()).isEmpty();
    }

    /** It is still connected. Its host answers for it, so that no keep-alive tells. */
    @Test
    void aFrozenProcessStopsCountingOnItsSlotBeforeAnotherGetsIt() {
        SlotLocks frozen = process("a", 1, 1);
        SlotLocks spare = process("b", 1, 1);
        assertThat(frozen.held()).isNotEmpty();

        await(
                () -> {
                    turn(spare);
                    boolean isTaken = !spare.held().isEmpty();
                    if (isTaken) {
                        assertThat(frozen.held()).isEmpty();
                    }
                    return isTaken;
                });
        assertThat(spare.held()).hasSize(1);

        turn(frozen);
        turn(frozen);
        assertThat(frozen.held()).isEmpty();
        assertThat(held()).containsExactly(0);
    }

    @Test
    void aLivingProcessKeepsItsSlotForLongerThanTheTimeout() {
        SlotLocks process = process("a", 1, 1);
        long until = System.nanoTime() + TIMEOUT.multipliedBy(2).toNanos();
        await(
                () -> {
                    turn(process);
                    assertThat(process.held()).containsEntry(0, 1L);
                    return System.nanoTime() > until;
                });
    }

    /** A group would give its partitions to others, too. */
    @Test
    void aProcessThatCanNotReadGivesItsSlotUp() {
        SlotLocks process = process("a", 1, 1);
        SlotLocks spare = process("b", 1, 1);

        await(
                () -> {
                    process.turn(); // its poll thread does not go round
                    turn(spare);
                    return !spare.held().isEmpty();
                });

        assertThat(process.held()).isEmpty();
        assertThat(process.seen().trouble()).contains("the poll loop does not go round");
        turn(process);
        assertThat(process.held()).isEmpty();
        assertThat(process.seen().waiting()).containsExactly("a");
    }

    @Test
    void slotsWithoutPartitionsAreNotTaken() {
        SlotLocks process = process("a", 8, 8);
        process.close();

        process.isReading(3);
        process.turn();

        assertThat(process.held()).containsOnlyKeys(0, 1, 2);
        assertThat(process.seen().count()).isEqualTo(3);
        assertThat(process.seen().free()).isEmpty();
    }

    @Test
    void applicationsOfOtherSchemasHaveSlotsOfTheirOwn() {
        process("a", 1, 1);
        try (PostgresFixture other = new PostgresFixture();
                SlotLocks theirs =
                        new SlotLocks(
                                new PostgresSlotSessions(other.settings("a"), TIMEOUT, ""),
                                new SlotPlan(1, 1, TIMEOUT),
                                System::nanoTime)) {
            turn(theirs);
            assertThat(theirs.held()).hasSize(1);
        }
    }

    @Test
    void aTableOfTheSameApplicationHasSlotsOfItsOwn() {
        process("a", 1, 1);
        try (SlotLocks ofTable =
                new SlotLocks(
                        new PostgresSlotSessions(fixture.settings("b"), TIMEOUT, "table:work"),
                        new SlotPlan(1, 1, TIMEOUT),
                        System::nanoTime)) {
            turn(ofTable);

            assertThat(ofTable.held()).hasSize(1);
            assertThat(ofTable.seen().holders()).hasSize(1);
        }
    }
}
