package dev.envelope.idempotency.store.postgres.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.membership.Slots;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.slot.SlotLocks.Holder;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.table.TableSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        return process(name, new SlotPlan(slots, perProcess, TIMEOUT));
    }

    private SlotLocks process(String name, SlotPlan plan) {
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
    private static void turn(SlotLocks process) {
        process.isReading(process.most());
        while (process.turn()) {
            process.isReading(process.most());
        }
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

    private static Map<Integer, Long> slotsOf(SlotLocks process) {
        return process.held().slots();
    }

    private Set<Integer> held() {
        Set<Integer> held = new TreeSet<>();
        for (SlotLocks process : processes) {
            for (int slot : slotsOf(process).keySet()) {
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

        process.isReading(3);
        while (process.turn()) {
            process.isReading(3);
        }

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

    private void turnAll() {
        processes.forEach(PostgresSlotsTest::turn);
        countsOnOneNumber();
    }

    /** Nobody has a slot of one number while another has one of another number. */
    private void countsOnOneNumber() {
        assertThat(
                        processes.stream()
                                .map(SlotLocks::held)
                                .filter(it -> !it.slots().isEmpty())
                                .map(Slots.Held::count)
                                .distinct())
                .hasSizeLessThanOrEqualTo(1);
    }

    private void end(SlotLocks process) {
        process.close();
        processes.remove(process);
    }

    private SlotPlan change(int from, int to) {
        return new SlotPlan(to, from, 1, TIMEOUT);
    }

    @Test
    void whenAllThatAreThereKnowTheNewNumberItIsTheirs() {
        SlotLocks old = process("a", 2, 1);
        SlotLocks second = process("b", change(2, 3));
        process("c", change(2, 3));
        turnAll();
        assertThat(held()).containsExactly(0, 1);
        assertThat(second.held().count()).isEqualTo(2);
        assertThat(second.seen().change()).isEqualTo("from 2 to 3 slots when these know it: a");

        end(old);
        process("d", change(2, 3));
        await(
                () -> {
                    turnAll();
                    return held().size() == 3;
                });

        assertThat(second.held().count()).isEqualTo(3);
        await(
                () -> {
                    turnAll();
                    return second.seen().change().startsWith("3 slots since ");
                });
        assertThat(second.seen().change()).endsWith(": slots.from=2 can go");
        assertThat(
                        fixture.server()
                                .query(
                                        "SELECT value FROM "
                                                + fixture.settings().schema()
                                                + ".pin WHERE name = 'slots'"))
                .isEqualTo("3");
    }

    @Test
    void theNumberMayShrink() {
        SlotLocks old = process("a", 3, 3);
        assertThat(held()).containsExactly(0, 1, 2);
        SlotLocks first = process("b", change(3, 1));
        SlotLocks second = process("c", change(3, 1));
        end(old);

        await(
                () -> {
                    turnAll();
                    return held().size() == 1 && first.held().count() == 1;
                });
        assertThat(slotsOf(first).size() + slotsOf(second).size()).isEqualTo(1);
    }

    @Test
    void whereNothingIsRecordedTheNewNumberIsTheFirst() {
        SlotLocks first = process("a", change(2, 3));
        assertThat(first.held().count()).isEqualTo(3);
        assertThat(slotsOf(first)).hasSize(1);
    }

    @Test
    void whereTheNumberIsTakenOutASlotIsGivenUpAndTheNumberDoesNotComeBack() {
        SlotLocks process = process("a", 1, 1);
        fixture.server().execute("DELETE FROM %s.pin".formatted(fixture.settings().schema()));
        await(
                () -> {
                    turn(process);
                    return slotsOf(process).isEmpty();
                });

        assertThat(process.seen().trouble()).contains("no number of slots is recorded");
        turn(process);
        assertThat(
                        fixture.server()
                                .query(
                                        "SELECT count(*)::text FROM %s.pin"
                                                .formatted(fixture.settings().schema())))
                .isEqualTo("0");
    }

    @Test
    void whileOneThatCountsOnTheOldNumberDoesNotAnswerNobodyTakesANewOne() {
        SlotLocks old = process("a", 2, 1);
        SlotLocks frozen = process("b", change(2, 3));
        SlotLocks other = process("c", change(2, 3));
        assertThat(slotsOf(frozen)).hasSize(1);
        end(old);
        processes.remove(frozen); // it does not look; its session is there

        await(
                () -> {
                    turnAll();
                    if (!slotsOf(frozen).isEmpty()) {
                        assertThat(other.held().count()).isEqualTo(2);
                    }
                    return other.held().count() == 3 && !slotsOf(other).isEmpty();
                });

        assertThat(slotsOf(frozen)).isEmpty();
        frozen.close();
    }

    @Test
    void whoComesBackWithTheOldNumberAloneIsRefused() {
        SlotLocks old = process("a", 2, 1);
        SlotLocks moved = process("b", change(2, 3));
        old.close(); // as if it was out of touch
        await(
                () -> {
                    turn(moved);
                    return moved.held().count() == 3;
                });

        turn(old);

        assertThat(slotsOf(old)).isEmpty();
        assertThat(old.seen().trouble())
                .contains("slots is 2, and the application has 3 since ")
                .contains("start with slots=3, or with slots.from=3 as well");
    }

    @Test
    void aSessionThatBreaksInTheMiddleOfTheChangeLeavesNothingBehind() {
        SlotLocks old = process("a", 2, 2);
        SlotLocks first = process("b", change(2, 3));
        process("c", change(2, 3));
        process("d", change(2, 3));
        end(old);
        turn(first); // it has given up what it had
        fixture.server()
                .execute(
                        "SELECT pg_terminate_backend(l.pid) FROM pg_locks l"
                                + " JOIN pg_namespace n ON n.oid = l.classid"
                                + " WHERE l.locktype = 'advisory' AND n.nspname = '"
                                + fixture.settings().schema()
                                + "'");

        await(
                () -> {
                    turnAll();
                    return held().size() == 3 && first.held().count() == 3;
                });
    }
}
