package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class InMemoryOutputStoreTest extends OutputStoreContract {

    private final InMemoryDatabase database = new InMemoryDatabase();
    private final InMemoryOutputStore outputs = new InMemoryOutputStore(database);

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }

    private void emit(String key) {
        Output output =
                new Output(
                        Messages.parked(1, 1, key).message(),
                        1,
                        "out",
                        null,
                        null,
                        new RecordHeaders());
        new InMemoryStateStore(database, outputs::numberIn)
                .save(
                        List.of(OutputBench.change(key, 0, List.of(output))),
                        Patience.WAIT,
                        database.incarnation());
    }

    private List<String> saved() {
        return database.outputs().stream().map(SavedOutput::rowKey).toList();
    }

    @Test
    void aFailOverTakesRowsBatchesAndRelaysBackToWhatTheyWere() {
        Own own = outputs.register();
        emit("a");
        InMemoryDatabase.Backup backup = database.backup();
        emit("b");
        outputs.open(own, List.of(), new TreeSet<>());
        assertThat(saved()).containsExactly("a", "b");

        database.restore(backup);
        assertThat(saved()).containsExactly("a");
        assertThatThrownBy(() -> outputs.look(own)).isInstanceOf(OtherIncarnationException.class);
        Own before = new Own(own.number(), 0, List.of(), database.incarnation());
        assertThat(outputs.look(before)).contains(before);
    }

    @Test
    void inAnotherLifeASaveHasTheNumberOfNobodyAndTheOldOneMayBeGivenToAnother() {
        InMemoryDatabase.Backup backup = database.backup();
        Own own = outputs.register();
        Incarnation first = database.incarnation();
        assertThat(outputs.numberIn(first)).isEqualTo(own.number());

        database.restore(backup);
        assertThat(outputs.numberIn(database.incarnation())).isZero();
        InMemoryOutputStore other = new InMemoryOutputStore(database);
        Own others = other.register();
        assertThat(others.number()).isEqualTo(own.number());
        assertThat(outputs.look(others)).as("of another start").isEmpty();
        emit("a");
        assertThat(other.next(others, List.of(), 10, 10)).isEmpty();
    }
}
