package dev.envelope.idempotency.store.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.ParkedStoreContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PostgresParkedStoreTest extends ParkedStoreContract {

    private final PostgresFixture fixture = new PostgresFixture();

    @Override
    protected StoreFixture open() {
        return fixture;
    }

    @Test
    void anotherValueTakesThePlaceOfTheFirstMessagesAndWhatWasThereIsKept() {
        park("k", 2);
        ask(it -> it.askToEdit("k", bytes("\u0000better"), "somebody"));
        Request request = requests.take(LEASE).orElseThrow();
        Snapshot next = row("k").counting(2);

        assertThat(requests.replace(request, row("k").counting(3).counting(2), now))
                .as("the row is at another version")
                .isFalse();
        assertThat(requests.replace(request, next, now)).isTrue();

        assertThat(requests.renew(request, LEASE).orElseThrow().version()).isNull();
        assertThat(store.first("k", 2))
                .extracting(it -> new String(it.message().value(), UTF_8))
                .containsExactly("\u0000better", "value 1");
        assertThat(store.replacements())
                .extracting(it -> it.source() + "/" + it.offset() + "/" + it.leaderEpoch())
                .containsExactly(epoch.source() + "/0/7");
        assertThat(replaced()).isEqualTo("value 0 somebody");

        ask(it -> it.askToEdit("k", null, "another"));
        requests.answer(request, "done", now);
        Request again = requests.take(LEASE).orElseThrow();
        assertThat(requests.replace(again, row("k").counting(2), now)).isTrue();

        assertThat(store.replacements().get(0).value()).isNull();
        assertThat(replaced()).as("what stood there first").isEqualTo("value 0 another");
        requests.answer(again, "done", now);
        ask(it -> it.askToDelete("k", null, "by"));
        Request delete = requests.take(LEASE).orElseThrow();
        assertThat(requests.repair(delete, row("k").counting(2), now)).isTrue();
        assertThat(store.replacements()).as("deleted with its key").isEmpty();
    }

    private void ask(Function<RequestCatalog, Optional<Long>> question) {
        try (RequestCatalog catalog =
                new OperatorConnections(fixture.settings(), System::nanoTime).requests()) {
            assertThat(question.apply(catalog)).isPresent();
        }
    }

    private String replaced() {
        return fixture.server()
                .query(
                        "SELECT convert_from(original, 'UTF8') || ' ' || replaced_by FROM "
                                + fixture.settings().schema()
                                + ".replacement");
    }

    @Test
    void whatFailsAgainStandsThereWithThatAndWhen() {
        park("a", 2);
        long second = store.positions("a", Long.MAX_VALUE, 2).get(1);
        fixture.ask("a", Action.REDRIVE, null, null, null);
        Request redrive = requests.take(LEASE).orElseThrow();

        store.failedAgain(redrive, second, "undecodable", "no \u0000 JSON");

        try (ParkedCatalog catalog =
                new OperatorConnections(fixture.settings(), System::nanoTime).parked()) {
            List<ParkedCatalog.Entry> entries = catalog.messages("a", 0, 2);
            assertThat(entries.get(0).reason()).isEqualTo("failed");
            assertThat(entries.get(0).failedAgain()).isNull();
            assertThat(entries.get(1).reason()).isEqualTo("undecodable");
            assertThat(entries.get(1).attempts()).isEqualTo(2);
            assertThat(entries.get(1).error()).startsWith("no ").endsWith(" JSON");
            assertThat(entries.get(1).failedAgain()).isAfter(entries.get(1).since());
            assertThat(new String(entries.get(1).value(), UTF_8)).isEqualTo("value 1");
        }
    }

    @Test
    void largeMessagesComeFewAtATimeAndOneAtLeast() {
        byte[] large = new byte[3 << 20];
        List<ParkedMessage> messages =
                java.util.stream.LongStream.range(0, 3)
                        .mapToObj(i -> Records.message(epoch, i, "a", new String(large, UTF_8)))
                        .map(it -> new ParkedMessage(it, "a", "failed", "why", 1))
                        .toList();
        Change change = new Change("a", 0, null, Marks.NONE, null, 0, messages);
        fixture.states().save(List.of(change), Patience.WAIT, now);

        assertThat(store.first("a", 9)).hasSize(1);
        assertThat(store.positions("a", Long.MAX_VALUE, 9)).hasSize(3);
        assertThat(store.positions("a", store.first("a", 1).get(0).position(), 9)).hasSize(1);
        assertThat(store.positions("a", Long.MAX_VALUE, 2)).hasSize(2);
    }

    @Test
    void aRequestThatThisProcessCanNotCarryOutWaitsAndIsAnybodysThen() {
        fixture.ask("a", Action.DROP, 5L, null, null);
        fixture.ask("b", Action.DROP, 5L, null, null);
        Request first = requests.take(LEASE).orElseThrow();

        requests.rest(first, Duration.ofMinutes(1), LEASE);

        try (PostgresStore other = PostgresStore.open(fixture.settings("another"))) {
            Request second = requests.take(LEASE).orElseThrow();
            assertThat(second.key()).isEqualTo("b");
            assertThat(other.requests().take(LEASE)).as("it rests").isEmpty();
            requests.rest(second, Duration.ofMillis(1), LEASE);
            fixture.server()
                    .await(
                            "(SELECT taken_until < now() FROM %s.request WHERE row_key = 'b')"
                                    .formatted(fixture.settings().schema()));
            Request again = other.requests().take(LEASE).orElseThrow();
            assertThat(again.key()).isEqualTo("b");
            assertThat(again.brokenOff()).as("nobody has broken off").isZero();
            requests.rest(second, Duration.ZERO, LEASE); // not ours any more
            assertThat(other.requests().renew(again, LEASE)).isPresent();
        }
    }

    @Test
    void aRequestThatIsTakenForLongerThanAnybodyTakesOneIsTaken() {
        park("a", 1);
        fixture.ask("a", Action.DROP, 5L, null, null);
        requests.rest(requests.take(LEASE).orElseThrow(), Duration.ofMinutes(1), LEASE);
        assertThat(requests.take(LEASE)).isEmpty();

        fixture.server() // as after a fail-over to a server whose clock is behind
                .execute(
                        "UPDATE %s.request SET taken_until = taken_until + interval '2 hours', not_before = not_before + interval '2 hours'"
                                .formatted(fixture.settings().schema()));

        assertThat(requests.take(LEASE)).isPresent();
    }
}
