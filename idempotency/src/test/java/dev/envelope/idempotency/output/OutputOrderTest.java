package dev.envelope.idempotency.output;

import static dev.envelope.idempotency.output.Relays.to;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.FakeOutputSender.Moment;
import dev.envelope.idempotency.output.Relays.Instance;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What waits for others, and what must not wait for them. */
final class OutputOrderTest {

    private static final Duration ROUND = Duration.ofSeconds(11);

    private final Relays all = new Relays();
    private final Instance one = all.start("one");

    private void refuse(String... values) {
        Set<String> refused = Set.of(values);
        all.kafka.refuse(record -> refused.contains(FakeTransactions.value(record)));
    }

    @Test
    void aRelayOfWhichKafkaSaysNothingHoldsUpOnlyItsOwnOutputs() {
        Instance two = all.start("two");
        one.put("a", "1");
        one.sender.at(Moment.SENT, one.sender::dies);
        one.run();
        all.passSilence();
        two.sender.at(
                Moment.FENCED,
                () -> {
                    throw new UnavailableException("its coordinator is away");
                });
        two.put("b", "2");

        two.run();
        assertThat(all.arrived()).containsExactly("2");

        two.run(Duration.ofSeconds(40));
        assertThat(all.arrived()).containsExactly("2", "1");
    }

    @Test
    void aRefusedOutputGoesBehindAnEarlierOneOfItsLaneThatIsNotSentYet() {
        refuse("large");
        one.put("a", "1");
        one.put("a", "large");
        one.after("split", () -> one.sender.isAway(true));
        one.after("refusedAgain", () -> one.sender.isAway(true));
        one.run();
        assertThat(all.arrived()).isEmpty();

        all.pass(ROUND);
        refuse();
        one.sender.isAway(false);
        one.run(ROUND);

        assertThat(all.arrived()).containsExactly("1", "large");
    }

    @Test
    void aRefusedOutputThatWasSentIsNotSentAgainBeforeItIsDeleted() {
        refuse("large");
        one.put("a", "large");
        one.run();
        refuse();
        long until = all.clock + Duration.ofSeconds(40).toNanos();
        one.before("close", new SilentUntil(until));

        one.run(Duration.ofMinutes(1));

        assertThat(all.arrived()).containsExactly("large");
        assertThat(all.database.outputs()).isEmpty();
    }

    private final class SilentUntil implements Runnable {

        private final long until;

        SilentUntil(long until) {
            this.until = until;
        }

        @Override
        public void run() {
            if (all.clock < until) {
                one.before("close", this);
                throw new UnavailableException("the database is away");
            }
        }
    }

    @Test
    void aRelayThatDropsItsOutputsLeavesThoseOfOthersToOthers() {
        Instance muted = all.start("muted", it -> it.sender.isMuted(true));
        one.put("a", "1");
        one.sender.at(Moment.SENT, one.sender::dies);
        one.run();

        muted.run(Duration.ofSeconds(30));
        assertThat(all.database.outputs()).hasSize(1);

        Instance two = all.start("two");
        two.run(ROUND);
        assertThat(all.arrived()).containsExactly("1");
    }

    @Test
    void aThousandRowsThatWaitBehindARefusedOneStopNobodyElse() {
        Instance two = all.start("two");
        refuse("large");
        one.put("a", "large");
        one.run();
        for (int i = 0; i < 1_200; i++) {
            one.put("a", "behind " + i);
            one.run();
        }

        two.save("b", List.of(to("out", "of another")));
        two.run();
        assertThat(all.arrived()).containsExactly("of another");

        refuse();
        one.run(Duration.ofMinutes(10));
        assertThat(all.arrived()).hasSize(1_202).endsWith("behind 1199");
    }
}
