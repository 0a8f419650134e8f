package dev.envelope.integration.demo.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.demo.group.Member;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SentencesTest {

    private static final Second QUIET = new Second(4_000, 3_990, 3_300);
    private static final Member FIRST = works(1, 4);
    private static final Member SECOND = works(2, 4);

    private static Member works(int number, int partitions) {
        return new Member(number, "", Member.State.WORKS, partitions, 5, 7, 2_000, 1_000);
    }

    private static Moment moment(Second second, Member... members) {
        return new Moment(
                4_000, false, second, List.of(members), 0, Optional.empty(), Optional.empty());
    }

    @Test
    void aQuietSecondIsToldInThree() {
        assertThat(Sentences.of(moment(QUIET, FIRST, SECOND)))
                .containsExactly(
                        "Quiet: 4,000 payments arrived in the last second.",
                        "3,990 payments became 3,300 writes: 1.2 payments a write, as little waits"
                                + " that a write could take along.",
                        "Both instances share the partitions: 4 and 4.");
    }

    @Test
    void aBurstSharesItsWrites() {
        Moment burst = moment(new Second(41_300, 41_340, 812), FIRST, SECOND);

        assertThat(Sentences.of(burst))
                .startsWith(
                        "A burst: 41,300 payments arrived in the last second.",
                        "41,340 payments became 812 writes: 50.9 payments a write.");
        assertThat(Sentences.line(burst))
                .contains("41,340 payments/s", "50.9 payments per write", "lag       10", "burst");
    }

    @Test
    void aSecondWithoutWritesDividesByNothing() {
        assertThat(Sentences.of(moment(new Second(0, 0, 0), FIRST, SECOND)))
                .contains("Nothing was saved in the last second.");
    }

    @Test
    void whoIsDeadAndWhoWorksOnIsTold() {
        assertThat(Sentences.of(moment(QUIET, works(1, 8), Member.dead(2, ""))).get(2))
                .startsWith("Instance 2 is dead")
                .contains("Instance 1 has 8 partitions.");
        assertThat(Sentences.of(moment(QUIET, Member.dead(1, ""), Member.dead(2, ""))).get(2))
                .startsWith("Instance 1 and instance 2 are dead");
        Member starting = new Member(2, "", Member.State.STARTS, 0, 0, 0, 0, 0);
        assertThat(Sentences.of(moment(QUIET, works(1, 1), starting)).get(2))
                .isEqualTo("Instance 2 starts; instance 1 has 1 partition.");
    }

    @Test
    void whatIsOutOfTheOrdinaryFollows() {
        Moment moment =
                new Moment(
                        4_000,
                        true,
                        QUIET,
                        List.of(FIRST, SECOND),
                        13,
                        Optional.of(new Moment.Frozen("key-100", 35, "skip it")),
                        Optional.empty());

        List<String> sentences = Sentences.of(moment);

        assertThat(sentences).hasSize(5);
        assertThat(sentences.get(0)).startsWith("A rest: nothing is sent");
        assertThat(sentences.get(3)).startsWith("The database is slow for another 13 s");
        assertThat(sentences.get(4))
                .startsWith("key-100 is frozen")
                .contains("34 more of its messages wait behind it");
        assertThat(Sentences.line(moment)).endsWith("  rest  slow database  frozen: key-100");
    }
}
