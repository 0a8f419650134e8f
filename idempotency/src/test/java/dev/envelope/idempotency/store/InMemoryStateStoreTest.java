package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class InMemoryStateStoreTest extends StateStoreContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }

    @Test
    void aDatabaseThatWentBackHoldsWhatItHeldThenInAnotherLife() {
        InMemoryDatabase database = new InMemoryDatabase();
        StateStore store = new InMemoryStateStore(database);
        InMemoryCheckpoints checkpoints = new InMemoryCheckpoints(database);
        Incarnation before = database.incarnation();
        store.save(List.of(change("a", 0, "1")), Patience.WAIT, before);
        NewSource source =
                new NewSource(new TopicPartition("t", 0), new Uuid(1, 1), new NextOffset(0, 0));
        int number = checkpoints.introduce(List.of(source)).sources().get(0).number();
        InMemoryDatabase.Backup backup = database.backup();
        store.save(List.of(change("a", 1, "2"), change("b", 0, "2")), Patience.WAIT, before);
        store.save(
                List.of(Change.ofMessagesWithoutRow(List.of(Messages.parked(1, 1, null)))),
                Patience.WAIT,
                before);
        checkpoints.save(Map.of(number, new NextOffset(9, 0)), before);

        database.restore(backup);

        assertThat(database.rows().values()).extracting(Snapshot::key).containsExactly("a");
        assertThat(database.rows().values()).extracting(Snapshot::version).containsExactly(1L);
        assertThat(database.parked()).isEmpty();
        assertThat(database.sources().get(0).checkpoint().offset()).isZero();
        assertThatThrownBy(() -> store.load(List.of("a"), before))
                .isInstanceOf(OtherIncarnationException.class);
    }
}
