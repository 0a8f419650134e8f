package dev.envelope.idempotency.store.postgres.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.slot.SlotLocks.Holder;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.table.TableSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who holds which slot. */
class PostgresSlotsTest extends SlotBench {

    @Test
    void eachProcessHoldsAnotherSlotUntilAllAreTaken() {
        process("a", 3, 1);
        process("b", 3, 1);
        process("c", 3, 1);
        SlotLocks spare = process("d", 3, 1);

        assertThat(held()).containsExactly(0, 1, 2);
        assertThat(slotsOf(spare)).isEmpty();
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

        assertThat(slotsOf(first)).hasSize(2);
        assertThat(slotsOf(second)).hasSize(1);
        assertThat(held()).containsExactly(0, 1, 2);
    }

    @Test
    void whoEndsGivesUpAndAnotherTakesOver() {
        SlotLocks holder = process("a", 1, 1);
        SlotLocks spare = process("b", 1, 1);
        List<String> told = new ArrayList<>();
        spare.onChange(() -> told.add("changed"));
        int generation = holder.held().generation();
        assertThat(generation).isPositive();

        holder.close();
        await(
                () -> {
                    turn(spare);
                    return !slotsOf(spare).isEmpty();
                });

        assertThat(told).containsExactly("changed");
        assertThat(spare.held().generation()).isGreaterThan(generation);
        assertThat(slotsOf(holder)).isEmpty();
    }

    @Test
    void aSessionThatBreaksIsNoticedAndWhatIsTakenAgainIsAnotherTenure() {
        SlotLocks process = process("a", 1, 1);
        assertThat(slotsOf(process)).containsEntry(0, 1L);

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
                    return slotsOf(process).isEmpty();
                });
        assertThat(process.seen().trouble()).isNotEmpty();

        await(
                () -> {
                    turn(process);
                    return !slotsOf(process).isEmpty();
                });
        assertThat(slotsOf(process)).containsEntry(0, 2L);
        assertThat(process.seen().trouble()).isEmpty();
    }

    /** It is still connected. Its host answers for it, so that no keep-alive tells. */
    @Test
    void aFrozenProcessStopsCountingOnItsSlotBeforeAnotherGetsIt() {
        SlotLocks frozen = process("a", 1, 1);
        SlotLocks spare = process("b", 1, 1);
        assertThat(slotsOf(frozen)).isNotEmpty();

        await(
                () -> {
                    turn(spare);
                    boolean isTaken = !slotsOf(spare).isEmpty();
                    if (isTaken) {
                        assertThat(slotsOf(frozen)).isEmpty();
                    }
                    return isTaken;
                });
        assertThat(slotsOf(spare)).hasSize(1);

        turn(frozen);
        turn(frozen);
        assertThat(slotsOf(frozen)).isEmpty();
        assertThat(held()).containsExactly(0);
    }

    @Test
    void aLivingProcessKeepsItsSlotForLongerThanTheTimeout() {
        SlotLocks process = process("a", 1, 1);
        long until = System.nanoTime() + TIMEOUT.multipliedBy(2).toNanos();
        await(
                () -> {
                    turn(process);
                    assertThat(slotsOf(process)).containsEntry(0, 1L);
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
                    return !slotsOf(spare).isEmpty();
                });

        assertThat(slotsOf(process)).isEmpty();
        assertThat(process.seen().trouble()).contains("the poll loop does not go round");
        turn(process);
        assertThat(slotsOf(process)).isEmpty();
        assertThat(process.seen().waiting()).containsExactly("a");
    }

    @Test
    void slotsWithoutPartitionsAreNotTaken() {
        SlotLocks process = process("a", 8, 8);
        process.close();

        await(
                () -> { // a session may fail to begin
                    process.isReading(3);
                    return !process.turn() && !slotsOf(process).isEmpty();
                });

        assertThat(slotsOf(process)).containsOnlyKeys(0, 1, 2);
        assertThat(process.seen().count()).isEqualTo(3);
        assertThat(process.seen().free()).isEmpty();
    }

    @Test
    void applicationsOfOtherSchemasHaveSlotsOfTheirOwn() {
        process("a", 1, 1);
        try (PostgresFixture other = new PostgresFixture();
                SlotLocks theirs =
                        new SlotLocks(
                                new PostgresSlotSessions(other.settings("a"), TIMEOUT, null),
                                new SlotPlan(1, 1, TIMEOUT),
                                System::nanoTime)) {
            turn(theirs);
            assertThat(slotsOf(theirs)).hasSize(1);
        }
    }

    @Test
    void aTableOfTheSameApplicationHasSlotsOfItsOwn() {
        process("a", 1, 1);
        try (SlotLocks ofTable =
                new SlotLocks(
                        new PostgresSlotSessions(
                                fixture.settings("b"),
                                TIMEOUT,
                                new TableSettings("work", "k", "id")),
                        new SlotPlan(1, 1, TIMEOUT),
                        System::nanoTime)) {
            turn(ofTable);

            assertThat(slotsOf(ofTable)).hasSize(1);
            assertThat(ofTable.seen().holders()).hasSize(1);
        }
    }
}
