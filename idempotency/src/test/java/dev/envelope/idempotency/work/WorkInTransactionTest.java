package dev.envelope.idempotency.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.limit.FailingShares;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.WorkBatch.Item;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A handler beside marks that are in memory, and go with what it has written. */
final class WorkInTransactionTest {

    private static final Connection CONNECTION =
            (Connection)
                    Proxy.newProxyInstance(
                            WorkInTransactionTest.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (proxy, method, arguments) -> null);

    private final PartitionEpoch epoch = Records.epoch(1);
    private final List<String> written = new ArrayList<>();
    private final List<String> aside = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();
    private final Set<Long> done = new HashSet<>();
    private final List<Exception> troubles = new ArrayList<>(); // of the next transactions
    private int duplicates;

    private final Telemetry telemetry =
            new Telemetry() {
                @Override
                public void duplicates(int messages) {
                    duplicates += messages;
                }
            };

    private BitSet once(List<Message> messages, Transactions.Action action) throws Exception {
        if (!troubles.isEmpty()) {
            throw troubles.remove(0);
        }
        BitSet before = new BitSet();
        for (int i = 0; i < messages.size(); i++) {
            before.set(i, done.contains(messages.get(i).offset()));
        }
        if (before.cardinality() == messages.size()) {
            return before;
        }
        List<String> saved = List.copyOf(written);
        try {
            action.run(before, CONNECTION);
        } catch (Exception | Error e) {
            written.clear();
            written.addAll(saved);
            throw e;
        }
        messages.forEach(it -> done.add(it.offset()));
        return before;
    }

    private void run(List<Item<String>> batch, Connection connection) {
        assertThat(connection).isSameAs(CONNECTION);
        sizes.add(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            String value = String.valueOf(batch.get(i).value());
            if (value.equals("bad")) {
                throw new PartlyDoneException(i, new IllegalStateException("it is bad"));
            } else if (value.equals("away")) {
                throw new UnavailableException("something else");
            }
            written.add(value);
        }
    }

    private Outcome handle(@Nullable GivenUp givenUp, String... values) {
        WorkHandler<String> handler =
                new WorkHandler<>(
                        Calls.of(this::run, 10),
                        (bytes, message) -> new String(bytes, StandardCharsets.UTF_8),
                        (message, failure) -> aside.add(message.toString()),
                        this::once,
                        FailingShares.any(),
                        telemetry);
        List<Message> messages = new ArrayList<>();
        for (String value : values) {
            messages.add(Records.message(epoch, messages.size(), "k", value));
        }
        HandTurn turn = new HandTurn(new Envelope("k", messages, null, null, givenUp));
        handler.handle(turn);
        return Objects.requireNonNull(turn.outcome(0));
    }

    @Test
    void whatIsDoneIsLeftOutAndCounted() {
        done.addAll(Set.of(0L, 2L));

        Outcome outcome = handle(null, "a", "b", "c", "d");

        assertThat(written).containsExactly("b", "d");
        assertThat(sizes).containsExactly(2);
        assertThat(outcome.done()).hasToString("DUPLICATE, APPLIED, DUPLICATE, APPLIED");
        assertThat(duplicates).isEqualTo(2);
    }

    @Test
    void aBatchThatFailsIsRolledBackAndEachIsDoneInATransactionOfItsOwn() {
        Outcome outcome = handle(null, "a", "b", "bad", "c");

        assertThat(sizes).containsExactly(4, 1, 1, 1);
        assertThat(written).containsExactly("a", "b");
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class, it -> assertThat(it.cause()).hasMessage("it is bad"));
        assertThat(outcome.done()).hasToString("APPLIED, APPLIED");
    }

    @Test
    void aLockIsWaitedForAndNoAttemptIsCounted() {
        StoreException locked = new StoreException.RowLocked("a rival", new Exception());
        troubles.addAll(List.of(locked, locked)); // of the batch, and of its first message

        assertThat(handle(null, "a", "b"))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class, it -> assertThat(it.why()).isEqualTo(Doing.LOCKED));
    }

    @Test
    void aDatabaseThatIsAwayIsToldApartFromSomethingElseThatIs() {
        troubles.add(new UnavailableException("the database"));
        assertThat(handle(null, "a")).isInstanceOf(Outcome.Unavailable.class);

        assertThat(handle(null, "away"))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> assertThat(it.why()).isEqualTo(Doing.DECODER_OUT));
    }

    @Test
    void whatIsDoneStaysDoneWhereTheDatabaseGoesAwayInBetween() {
        StoreException locked = new StoreException.RowLocked("a rival", new Exception());
        troubles.add(locked); // so each is alone
        Outcome first = handle(null, "a", "b");
        assertThat(first.done()).hasToString("APPLIED, APPLIED");

        done.clear();
        troubles.add(locked);
        Outcome outcome = handle(null, "a", "away");
        assertThat(outcome.done()).hasToString("APPLIED");
    }

    @Test
    void anotherLifeOfTheDatabaseHasItReadAgain() {
        troubles.add(new OtherIncarnationException(new Incarnation("a"), new Incarnation("b")));

        assertThat(handle(null, "a")).isEqualTo(Outcome.Superseded.SUPERSEDED);
    }

    @Test
    void whatIsSetAsideIsMarkedAndNotSetAsideAgain() {
        GivenUp givenUp = new GivenUp(3, new IllegalStateException("bad"));

        assertThat(handle(givenUp, "a").done()).hasToString("PUT_OUT");
        assertThat(handle(givenUp, "a").done()).hasToString("DUPLICATE");
        assertThat(aside).hasSize(1);
    }

    @Test
    void aHandlerThatWantsAConnectionNeedsADatabase() {
        assertThatThrownBy(
                        () ->
                                new WorkHandler<>(
                                        Calls.of(this::run, 10),
                                        (bytes, message) -> "",
                                        WorkHandler.SettingAside.NEVER,
                                        FailingShares.any(),
                                        telemetry))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
