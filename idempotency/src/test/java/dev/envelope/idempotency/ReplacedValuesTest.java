package dev.envelope.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Parked messages that an operator gives another value. */
final class ReplacedValuesTest {

    private final ParkingBench bench = new ParkingBench();

    private String edited(@Nullable String value) {
        Request request = bench.parked.askToEdit("a", value == null ? null : value.getBytes(UTF_8));
        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();
        return bench.parked.answerTo(request).orElse("no answer");
    }

    @Test
    void aMessageWithAnotherValueIsFoldedInItsPlaceAndSoItIsWheneverItIsReadAgain() {
        bench.giveUp(0, "bad", "y");

        assertThat(edited("good")).isEqualTo("replaced its value, redrove 2");
        assertThat(bench.state()).isEqualTo("goody");

        bench.database.deleteRow("a"); // by hand, and the log is read again
        bench.bad.clear();
        bench.handle(bench.readAgain(bench.laterEpoch(), 0, "bad", "y"));

        assertThat(bench.state()).isEqualTo("goody");
    }

    @Test
    void anotherMessageAtThatOffsetKeepsItsValue() {
        bench.giveUp(0, "bad");
        edited("good");
        bench.database.deleteRow("a");
        bench.bad.clear();
        Message other = Records.message(bench.laterEpoch(), 0, 8, "a", "bad"); // of another leader

        bench.handle(new Envelope("a", List.of(other), null, null, null));

        assertThat(bench.state()).isEqualTo("bad");
    }

    @Test
    void anotherValueThatFailsStaysAndCanBeReplacedAgain() {
        bench.giveUp(0, "bad", "y");
        bench.bad.add("worse");

        assertThat(edited("worse"))
                .startsWith("replaced its value, redrove 0; then t-0@0 failed again");
        assertThat(bench.state()).isEmpty();
        assertThat(edited(null)).isEqualTo("replaced its value, redrove 2");

        assertThat(bench.state()).isEqualTo("nully");
    }

    @Test
    void whatIsNotTheFirstAnyMoreIsNotReplaced() {
        bench.giveUp(0, "bad", "y");
        Request request = bench.parked.askToEdit("a", "good".getBytes(UTF_8));
        bench.database.deleteParked(message -> message.message().offset() == 0);

        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(bench.parked.answerTo(request))
                .contains("the message is not the key's first any more: look again");
        assertThat(bench.parked.replacements()).isEmpty();
    }

    @Test
    void whatIsGivenAnotherValueWhileItFailsAgainIsTriedWithThat() {
        bench.giveUp(0, "bad", "y");
        bench.beforeNextFold(() -> replaceFirst("good"));

        assertThat(bench.asked(Action.SKIP_FAILING, null)).isEqualTo("redrove 2");

        assertThat(bench.state()).isEqualTo("goody");
    }

    @Test
    void whatIsGivenAnotherValueWhileItIsRedrivenIsFoldedWithThat() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        bench.beforeNextFold(() -> replaceFirst("good"));

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 2");

        assertThat(bench.state()).isEqualTo("goody");
        assertThat(bench.emitted()).containsExactly("good", "y");
    }

    /** As another process does it. */
    private void replaceFirst(String value) {
        var other = new InMemoryParkedStore(bench.database, "another", () -> bench.clock);
        Request edit = other.askToEdit("a", value.getBytes(UTF_8));
        assertThat(other.take(Duration.ofMinutes(1))).contains(edit);
        Snapshot row = bench.row();
        assertThat(other.replace(edit, row.counting(row.parked()), bench.life)).isTrue();
        other.answer(edit, "replaced its value", bench.life);
    }
}
