package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.Transactions;
import dev.envelope.idempotency.work.WorkStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store of handlers that write what they like owes its callers. */
public abstract class WorkStoreContract {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final Uuid TOPIC = new Uuid(7, 7);

    private WorkStore store;
    private Transactions transactions;
    private Incarnation life;
    private int source;

    /** A store that knows no source, where one row may be written for each offset. */
    protected abstract WorkStore open();

    /** Its checkpoints, as another process sees them. */
    protected abstract Checkpoints checkpoints();

    /** Writes the row of an offset, as a handler would. */
    protected abstract void write(@Nullable Connection connection, long offset) throws SQLException;

    /** The offsets that rows are written for, in order, with blanks between them. */
    protected abstract String effects();

    /** The offsets that are marked, likewise. */
    protected abstract String marks();

    @BeforeEach
    void openStore() {
        store = open();
        source =
                checkpoints()
                        .introduce(List.of(new NewSource(PARTITION, TOPIC, new NextOffset(5, 0))))
                        .sources()
                        .get(0)
                        .number();
        life = checkpoints().incarnation();
        transactions = store.transactions();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    protected final Transactions transactions() {
        return transactions;
    }

    protected final Message message(long offset) {
        return message(offset, 0);
    }

    private Message message(long offset, int leaderEpoch) {
        return Records.message(epoch(Set.of()), offset, leaderEpoch, "k", "v");
    }

    private PartitionEpoch epoch(Set<Integer> formerSources) {
        return new PartitionEpoch(
                1, PARTITION, source, formerSources, life, new NextOffset(0, NextOffset.NO_EPOCH));
    }

    /** Writes a row for each that is not done; returns the places of those that are. */
    protected final BitSet once(Message... messages) throws Exception {
        return transactions.once(
                List.of(messages),
                (before, connection) -> {
                    for (int i = before.nextClearBit(0);
                            i < messages.length;
                            i = before.nextClearBit(i + 1)) {
                        write(connection, messages[i].offset());
                    }
                });
    }

    protected static BitSet places(int... all) {
        BitSet set = new BitSet();
        for (int each : all) {
            set.set(each);
        }
        return set;
    }

    private void checkpoint(long offset) {
        store.checkpoints().save(Map.of(source, new NextOffset(offset, 0)), life);
    }

    @Test
    void whatIsWrittenForAMessageIsThereOnce() throws Exception {
        assertThat(once(message(5), message(7))).isEqualTo(places());
        assertThat(once(message(5))).isEqualTo(places(0));
        assertThat(once(message(6), message(7), message(8))).isEqualTo(places(1));

        assertThat(effects()).isEqualTo("5 6 7 8");
        assertThat(marks()).isEqualTo("5 6 7 8");
    }

    @Test
    void whatIsThrownRollsBackTheMarkToo() throws Exception {
        assertThatThrownBy(
                        () ->
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            write(connection, 5);
                                            throw new IllegalStateException("bad");
                                        }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(effects() + marks()).isEmpty();
        assertThat(once(message(5))).isEqualTo(places());
    }

    @Test
    void marksBelowTheCheckpointAreDeletedAndTheirMessagesStayDone() throws Exception {
        once(message(5), message(6), message(9));
        assertThat(store.forgetSome()).isFalse();
        assertThat(marks()).isEqualTo("5 6 9");
        checkpoint(7);
        assertThat(store.forgetSome()).isFalse();

        assertThat(marks()).isEqualTo("9");
        assertThat(once(message(5), message(6))).isEqualTo(places(0, 1));
        assertThat(effects()).isEqualTo("5 6 9");
    }

    @Test
    void aRivalWaitsForTheFirstAndLeavesTheMessageOut() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            write(connection, 5);
                                            isInside.countDown();
                                            mayGoOn.await();
                                        });
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        isInside.await();

        assertThatThrownBy(() -> once(message(5))).isInstanceOf(StoreException.RowLocked.class);
        mayGoOn.countDown();
        first.join();
        assertThat(once(message(5))).isEqualTo(places(0));
        assertThat(effects()).isEqualTo("5");
    }

    @Test
    void aRecordOfALaterLeaderEpochIsNotTakenForTheOneThatIsDone() throws Exception {
        once(message(5, 3), message(6, 3));
        assertThatThrownBy(() -> once(message(5, 4))).isInstanceOf(RewrittenLogException.class);
        store.checkpoints().save(Map.of(source, new NextOffset(6, 3)), life);
        store.forgetSome();
        assertThatThrownBy(() -> once(message(5, 4))).isInstanceOf(RewrittenLogException.class);
        assertThat(once(message(5, 3))).isEqualTo(places(0));
    }

    @Test
    void whatWasDoneBeforeAnAcceptedTruncationStaysDone() throws Exception {
        once(message(5, 3), message(6, 3));
        int former = source;
        source =
                checkpoints()
                        .introduce(
                                List.of(
                                        new NewSource(
                                                PARTITION,
                                                TOPIC,
                                                1,
                                                new NextOffset(5, 0),
                                                0,
                                                Set.of())))
                        .sources()
                        .stream()
                        .mapToInt(it -> it.number())
                        .max()
                        .orElseThrow();
        Message same = Records.message(epoch(Set.of(former)), 5, 3, "k", "v");
        Message anew = Records.message(epoch(Set.of(former)), 6, 4, "k", "v");
        assertThat(transactions.once(List.of(same, anew), (before, connection) -> {}))
                .isEqualTo(places(0));
    }

    @Test
    void nothingIsDoneInAnotherLifeOfTheDatabase() {
        life = new Incarnation("another");
        assertThatThrownBy(() -> once(message(5))).isInstanceOf(OtherIncarnationException.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void nothingIsDoneForASourceThatIsNotKnown() {
        source = 4711;
        assertThatThrownBy(() -> once(message(5)))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("no longer knows");
    }
}
