package dev.envelope.idempotency.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.output.FakeOutputSender.Moment;
import dev.envelope.idempotency.output.Relays.Instance;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Gone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a silent relay's batch was sent: its number, and the number that Kafka has. */
class ResolutionTest {

    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final Relays all = new Relays();
    private final Instance one = all.start("one");
    private final Instance two = all.start("two");
    private final List<String> ids = one.sender.ids();
    private final Resolution resolution = new Resolution(two.outputs, two.sender);

    @BeforeEach
    void oneHasTwoRowsOfWhichTheFirstIsInABatch() {
        one.opensNext("a", "1");
        one.put("a", "2");
        all.passSilence();
    }

    private boolean takeOver() {
        List<Gone> gone = two.outputs.gone(two.own(), SILENCE);
        assertThat(gone).hasSize(1);
        return resolution.takeOver(two.own(), gone.get(0), SILENCE);
    }

    private List<String> waiting() {
        return all.database.outputs().stream()
                .map(it -> new String(it.output().value(), StandardCharsets.UTF_8))
                .toList();
    }

    /** As if the relay had committed it, under its second id. */
    private void committed(long number) {
        int epoch = all.kafka.epochs(ids.get(1));
        all.kafka.number(ids.get(1), epoch, number);
        all.kafka.commit(ids.get(1), epoch);
    }

    @Test
    void theNumberBeforeItMeansThatItWasNotSent() {
        assertThat(takeOver()).isTrue();
        assertThat(waiting()).containsExactly("1", "2");
        assertThat(resolution.doubtful()).isZero();
    }

    @Test
    void itsOwnNumberUnderAnyIdMeansThatItWasSent() {
        committed(1);
        assertThat(takeOver()).isTrue();
        assertThat(waiting()).containsExactly("2");
        assertThat(resolution.doubtful()).isZero();
    }

    @Test
    void aHigherNumberOrNoneLeavesADoubtAndNothingIsDeleted() {
        committed(2);
        assertThat(takeOver()).isTrue();
        assertThat(waiting()).containsExactly("1", "2");
        assertThat(resolution.doubtful()).isEqualTo(1);
    }

    @Test
    void aNumberThatIsLostLeavesADoubtAndNothingIsDeleted() {
        all.kafka.loseNumbers();
        assertThat(takeOver()).isTrue();
        assertThat(waiting()).containsExactly("1", "2");
        assertThat(resolution.doubtful()).isEqualTo(1);
    }

    @Test
    void withoutAnOpenBatchALostNumberIsNoDoubt() {
        assertThat(one.outputs.close(one.own(), List.of())).isTrue();
        all.passSilence();
        all.kafka.loseNumbers();

        assertThat(takeOver()).isTrue();
        assertThat(resolution.doubtful()).isZero();
    }

    @Test
    void itIsFencedBeforeItsNumberIsRead() {
        two.sender.at(Moment.FENCED, () -> assertThatThrownBy(() -> committed0()).isNotNull());
        assertThat(takeOver()).isTrue();
        assertThat(waiting()).containsExactly("1", "2");
    }

    /** The relay commits with the epoch that it had at first. */
    private void committed0() {
        all.kafka.number(ids.get(0), 1, 1);
        all.kafka.commit(ids.get(0), 1);
    }

    @Test
    void whatItOpenedAndCommittedBeforeItWasFencedIsSeen() {
        List<Gone> gone = two.outputs.gone(two.own(), SILENCE);
        assertThat(one.outputs.open(one.own(), one.places().subList(0, 1), one.rest())).isTrue();
        committed(2);
        all.passSilence();

        assertThat(resolution.takeOver(two.own(), gone.get(0), SILENCE)).isTrue();
        assertThat(waiting()).isEmpty();
        assertThat(resolution.doubtful()).isZero();
    }

    @Test
    void whoSpeaksAgainIsNotTakenOver() {
        List<Gone> gone = two.outputs.gone(two.own(), SILENCE);
        one.outputs.alive(one.own());

        assertThat(resolution.takeOver(two.own(), gone.get(0), SILENCE)).isFalse();
        assertThat(waiting()).containsExactly("1", "2");
    }

    @Test
    void whoGoesOnUnderOtherIdsIsNotJudgedByTheNumberOfTheFormerOnes() {
        List<Gone> gone = two.outputs.gone(two.own(), SILENCE);
        one.sender.at(Moment.COMMITTED, one.sender::dies);
        two.sender.at(
                Moment.FENCED,
                () -> { // two stands still, and one does not
                    one.run(SILENCE);
                    all.passSilence();
                });
        assertThat(resolution.takeOver(two.own(), gone.get(0), SILENCE)).isFalse();
        assertThat(all.arrived()).containsExactly("1", "2");
        assertThat(waiting()).containsExactly("1", "2");

        assertThat(takeOver()).isTrue();
        assertThat(waiting()).isEmpty();
    }

    @Test
    void aTransactionThatIsNotOverIsWaitedFor() {
        all.kafka.keepPrepared(true);
        two.sender.at(Moment.FENCED, () -> begins(ids.get(0)));

        assertThatThrownBy(this::takeOver).isInstanceOf(KafkaAwayException.class);
        assertThat(waiting()).containsExactly("1", "2");
        assertThat(two.outputs.gone(two.own(), SILENCE)).hasSize(1);
    }

    private void begins(String id) {
        all.kafka.number(id, all.kafka.epochs(id), 7);
    }

    @Test
    void ownBatchesAreResolvedInTheSameWay() {
        committed(1);
        assertThat(new Resolution(one.outputs, one.sender).resolveOwn(one.own(), ids)).isPresent();
        assertThat(waiting()).containsExactly("2");
        assertThat(two.outputs.gone(two.own(), Duration.ofHours(-1)).get(0).isOpen()).isFalse();
    }

    @Test
    void whoWasTakenOverMeanwhileIsNobodyAnyMore() {
        OutputStore.Own own = one.own();
        assertThat(takeOver()).isTrue();
        assertThat(new Resolution(one.outputs, one.sender).resolveOwn(own, ids)).isEmpty();
        assertThat(waiting()).containsExactly("1", "2");
    }
}
