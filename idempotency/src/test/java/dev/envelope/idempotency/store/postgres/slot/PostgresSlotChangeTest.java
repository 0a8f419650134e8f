package dev.envelope.idempotency.store.postgres.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.membership.Slots;
import dev.envelope.idempotency.slot.SlotLocks;
import org.junit.jupiter.api.Test;

/** The number of slots changes while processes hold some. */
class PostgresSlotChangeTest extends SlotBench {

    private void turnAll() {
        processes.forEach(SlotBench::turn);
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
        SlotLocks spare = process("b", 1, 1);
        fixture.server().execute("DELETE FROM %s.pin".formatted(fixture.settings().schema()));
        await(
                () -> {
                    turn(process);
                    turn(spare);
                    return process.seen().isUnknown() && spare.seen().isUnknown();
                });

        assertThat(slotsOf(process)).isEmpty();
        assertThat(process.seen().trouble()).contains("no number of slots is recorded");
        assertThat(spare.seen().trouble()).contains("no number of slots is recorded");
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
