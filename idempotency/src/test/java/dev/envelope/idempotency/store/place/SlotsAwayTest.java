package dev.envelope.idempotency.store.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.SlotAwayException;
import dev.envelope.idempotency.store.place.SlotWatch.Away;
import dev.envelope.idempotency.store.place.SlotWatch.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One place with two slots, of which the second one leaves. */
class SlotsAwayTest {

    private static final int LOOKS = 10; // more than a place has to answer in a row

    private final List<Away> seen = new ArrayList<>();
    private final List<String> starts = new ArrayList<>();
    private final SlotMoves moves =
            new SlotMoves(
                    new Division(List.of(0, 0)), List.of(place("a", () -> List.copyOf(seen))));

    @BeforeEach
    void noteStarts() {
        moves.whenElsewhere(starts::add);
    }

    private void look(Reason... reasons) {
        seen.clear();
        for (Reason each : reasons) {
            seen.add(new Away(1, "slot 1 is away: " + each, each));
        }
        moves.look(0);
    }

    @Test
    void aSlotThatIsGoneWaitsAndOthersGoOn() {
        look(Reason.GONE);

        assertThatThrownBy(() -> moves.ask(1, () -> "row"))
                .isInstanceOf(SlotAwayException.class)
                .hasMessage("slot 1 is away: GONE");
        assertThat(moves.ask(0, () -> "row")).isEqualTo("row");
        assertThat(starts).isEmpty();
    }

    /** Its rows may be those of an older copy, below what this process has committed. */
    @Test
    void aSlotThatWasGoneIsNotUsedAgainByThisProcess() {
        look(Reason.GONE);
        look(Reason.GONE);
        look();

        assertThat(starts).containsExactly("slot 1 is there again");
        assertThatThrownBy(() -> moves.ask(1, () -> "row")).isInstanceOf(SlotAwayException.class);
    }

    @Test
    void aMoveThatIsTakenBackIsFollowedByAStart() {
        look(Reason.MOVES);
        assertThat(starts).isEmpty();
        look();
        assertThat(starts).containsExactly("slot 1 is there again");
    }

    @Test
    void whatIsElsewhereIsWaitedForIfItIsGoneLater() {
        look(Reason.ELSEWHERE);
        look(Reason.GONE);
        assertThat(starts).containsExactly("slot 1 is away: ELSEWHERE");
        look();
        assertThat(starts).hasSize(2);
    }

    /** A start goes on without a place that does not answer. */
    @Test
    void aSlotThatIsGoneHoldsUpNoStartOnceItsPlaceDoesNotAnswer() {
        SlotWatch[] second = {() -> List.of(new Away(1, "slot 1 is gone", Reason.GONE))};
        SlotMoves two =
                new SlotMoves(
                        new Division(List.of(0, 1)),
                        List.of(
                                place("a", () -> List.copyOf(seen)),
                                place("b", () -> second[0].look())));
        two.whenElsewhere(starts::add);
        two.look(1);
        seen.add(new Away(0, "slot 0 was moved", Reason.ELSEWHERE));
        two.look(0);
        assertThat(starts).isEmpty();

        second[0] =
                () -> {
                    throw new UnavailableException("connection refused");
                };
        two.look(1);
        two.look(0);
        assertThat(starts).containsExactly("slot 0 was moved");
    }

    private static Place place(String name, SlotWatch watch) {
        return new Place(
                name,
                new InMemoryStateStore(new InMemoryDatabase(name, () -> 0)),
                new TreeMap<>(),
                watch);
    }

    @Test
    void aPlaceThatWasAwayAtTheStartIsFollowedByAStartOnceItAnswersForAWhile() {
        moves.left(List.of(new Away(1, "not there at the start", Reason.NOT_ASKED)));
        assertThatThrownBy(() -> moves.ask(1, () -> "row"))
                .isExactlyInstanceOf(UnavailableException.class);
        look();
        assertThat(starts).isEmpty();
        for (int looks = 0; looks < LOOKS; looks++) {
            look();
        }
        assertThat(starts).contains("slot 1 is there again");
    }

    /** It would be refused, and nobody would be left to do the work of the others. */
    @Test
    void noProcessStartsAnewWhileASlotIsGone() {
        moves.left(List.of(new Away(0, "not there at the start", Reason.NOT_ASKED)));
        look(Reason.ELSEWHERE);
        assertThat(starts).hasSize(1);
        for (int looks = 0; looks < LOOKS; looks++) {
            seen.clear();
            seen.add(new Away(0, "slot 0 is gone", Reason.GONE));
            moves.look(0);
        }
        assertThat(starts).hasSize(1);

        look();
        assertThat(starts).hasSize(2);
    }
}
