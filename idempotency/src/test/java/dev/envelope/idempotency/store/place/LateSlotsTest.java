package dev.envelope.idempotency.store.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LateSlotsTest extends DividedSituation {

    /** Otherwise it would be behind until a message comes, and all that waits for the partition. */
    @Test
    void aSlotThatIsToldOfASourceWhenAllIsSavedGetsTheCheckpointThatWasSavedLast() {
        introduce(first, 1, START);
        Incarnation life = life();
        checkpoints.save(Map.of(first, at(30), second, at(40)), life);
        byAnother(first, 2);
        byAnother(second, 3);

        pass();
        assertThat(checkpoints.incarnation()).isEqualTo(life); // the heartbeat: nothing is new

        assertThat(inSlot(2, first)).isEqualTo(30);
        assertThat(inSlot(3, second)).isEqualTo(40);
        byAnother(first, 3);
        pass();
        checkpoints.save(Map.of(second, at(41)), life);
        assertThat(inSlot(3, first)).isEqualTo(30);
    }

    @Test
    void aSlotThatWasToldLateAndIsAwayHoldsUpNoOther() {
        Incarnation life = life();
        checkpoints.save(Map.of(first, at(30), second, at(40)), life);
        byAnother(first, 1);
        byAnother(second, 3);
        away.add(1);

        pass();
        assertThat(checkpoints.incarnation()).isEqualTo(life);
        assertThat(inSlot(3, second)).isEqualTo(40);

        away.clear();
        pass();
        assertThat(checkpoints.incarnation()).isEqualTo(life);
        assertThat(inSlot(1, first)).isEqualTo(30);
    }

    /** It may have given the source's number to another one, which the slot was told of. */
    @Test
    void aSlotThatAnotherLifeOfHomeSpeaksOfGetsNoCheckpointOfTheFormerOne() {
        Incarnation life = life();
        InMemoryDatabase.Backup before = databases.get(0).backup();
        checkpoints.save(Map.of(first, at(30)), life);
        pass();
        memory.whenAsked(
                2, // when home has answered in its former life
                () -> {
                    databases.get(0).restore(before);
                    byAnother(first, 3);
                });

        assertThat(checkpoints.incarnation()).isEqualTo(life);

        assertThat(inSlot(3, first)).isEqualTo(10);
    }
}
