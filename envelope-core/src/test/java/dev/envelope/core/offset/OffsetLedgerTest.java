package dev.envelope.core.offset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class OffsetLedgerTest {

    private static final TopicPartition P0 = new TopicPartition("t", 0);

    private final OffsetLedger ledger = new OffsetLedger(new NextOffset(100, 3));

    @Test
    void beginsAtItsStartWithNothingHeld() {
        assertThat(ledger.committable()).isEqualTo(new NextOffset(100, 3));
        assertThat(ledger.position()).isEqualTo(new NextOffset(100, 3));
        assertThat(ledger.isEmpty()).isTrue();
        assertThat(ledger.heldBytes()).isZero();
        assertThat(ledger.oldestArrival(42)).isEqualTo(42);
    }

    @Test
    void commitsUpToTheFirstUnackedRecordWithItsLeaderEpoch() {
        long first = Records.receive(ledger, 100, 3, 10);
        long second = Records.receive(ledger, 101, 4, 10);
        ledger.ack(second);

        assertThat(ledger.committable()).isEqualTo(new NextOffset(100, 3));
        assertThat(ledger.unacked()).isEqualTo(1);
        assertThat(ledger.span()).isEqualTo(2);

        ledger.ack(first);

        assertThat(ledger.committable()).isEqualTo(new NextOffset(102, 4));
        assertThat(ledger.span()).isZero();
    }

    @Test
    void namesTheMessageThatNothingCanBeCommittedBeyond() {
        assertThat(ledger.firstUnacked(P0)).isNull();
        long first = Records.receive(ledger, 100, 3, 10);
        Records.receive(ledger, 105, 3, 10);

        assertThat(ledger.firstUnacked(P0)).hasToString("t-0@100");
        ledger.ack(first);
        assertThat(ledger.firstUnacked(P0)).hasToString("t-0@105");
    }

    @Test
    void knowsWhatIsDoneBehindTheFirstUnackedRecord() {
        List<Long> sequences = new ArrayList<>();
        for (long offset : new long[] {100, 101, 102, 110, 111, 112, 113}) {
            sequences.add(Records.receive(ledger, offset, 3, 10));
        }
        assertThat(ledger.doneAhead().isEmpty()).isTrue();

        ledger.ack(sequences.get(1));
        ledger.ack(sequences.get(2));
        assertThat(ledger.doneAhead()).as("with the gap behind it").hasToString("101-109");

        ledger.ack(sequences.get(4));
        ledger.ack(sequences.get(6));
        assertThat(ledger.doneAhead()).hasToString("101-109,111,113");

        ledger.ack(sequences.get(0));
        assertThat(ledger.committable().offset()).isEqualTo(110);
        assertThat(ledger.doneAhead()).hasToString("111,113");
    }

    @Test
    void refusesARecordThatIsNotTheNextOfItsSequence() {
        assertThatThrownBy(() -> ledger.receive(Records.message(Records.epoch(1), 100, "k", "v")))
                .isInstanceOf(InvariantViolation.class);
    }

    @Test
    void countsGapsBetweenReceivedRecordsAsDone() {
        long first = Records.receive(ledger, 100, 3, 10);
        Records.receive(ledger, 250, 3, 10);

        ledger.ack(first);

        assertThat(ledger.committable().offset()).isEqualTo(250);
    }

    @Test
    void commitsBehindMarkersOnlyWhenNothingIsUnacked() {
        long only = Records.receive(ledger, 100, 3, 10);
        ledger.positionIs(new NextOffset(105, 3));

        assertThat(ledger.committable().offset()).isEqualTo(100);

        ledger.ack(only);

        assertThat(ledger.committable()).isEqualTo(new NextOffset(105, 3));
    }

    @Test
    void aPositionNeverGoesBack() {
        Records.receive(ledger, 100, 3, 10);
        ledger.positionIs(new NextOffset(90, 3));

        assertThat(ledger.position().offset()).isEqualTo(101);
    }

    @Test
    void keepsTheLeaderEpochThatItKnowsWhenTheClientTellsTheSamePositionWithout() {
        ledger.ack(Records.receive(ledger, 100, 3, 10));
        ledger.positionIs(new NextOffset(101, NextOffset.NO_EPOCH));

        assertThat(ledger.committable()).isEqualTo(new NextOffset(101, 3));
    }

    @Test
    void refusesARecordBelowItsPosition() {
        Records.receive(ledger, 100, 3, 10);

        assertThatThrownBy(() -> Records.receive(ledger, 100, 3, 10))
                .isInstanceOf(InvariantViolation.class);
    }

    @Test
    void refusesAnAckThatIsRepeatedOrOfNothing() {
        long first = Records.receive(ledger, 100, 3, 10);
        long second = Records.receive(ledger, 101, 3, 10);
        ledger.ack(second);

        assertThatThrownBy(() -> ledger.ack(second)).isInstanceOf(InvariantViolation.class);
        ledger.ack(first);
        assertThatThrownBy(() -> ledger.ack(first)).isInstanceOf(InvariantViolation.class);
        assertThatThrownBy(() -> ledger.ack(2)).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void knowsSinceWhenItsFirstUnackedRecordIsHere() {
        ledger.arriving(1000);
        long first = Records.receive(ledger, 100, 3, 10);
        ledger.arriving(2000);
        Records.receive(ledger, 101, 3, 10);

        assertThat(ledger.oldestArrival(9000)).isEqualTo(1000);
        ledger.ack(first);
        assertThat(ledger.oldestArrival(9000)).isEqualTo(2000);
    }

    /** The same as the ledger, as plainly as it can be said. */
    private static final class NaiveLedger {
        private record Entry(long offset, int leaderEpoch, long bytes) {}

        private final List<Entry> received = new ArrayList<>();
        private final List<Boolean> acked = new ArrayList<>();
        private NextOffset position;

        NaiveLedger(NextOffset start) {
            position = start;
        }

        private int firstUnacked() {
            int first = acked.indexOf(false);
            return first < 0 ? acked.size() : first;
        }

        NextOffset committable() {
            int first = firstUnacked();
            return first == received.size()
                    ? position
                    : new NextOffset(
                            received.get(first).offset(), received.get(first).leaderEpoch());
        }

        /** Runs of acked records behind the first unacked one, with the gaps behind each. */
        String doneAhead() {
            StringBuilder runs = new StringBuilder();
            long from = -1;
            for (int i = firstUnacked() + 1; i <= received.size(); i++) {
                boolean isEnd = i == received.size();
                if (!isEnd && acked.get(i)) {
                    from = from < 0 ? received.get(i - 1).offset() + 1 : from;
                } else if (from >= 0) {
                    long to = (isEnd ? position.offset() : received.get(i).offset()) - 1;
                    runs.append(runs.isEmpty() ? "" : ",").append(from);
                    runs.append(from == to ? "" : "-" + to);
                    from = -1;
                }
            }
            return runs.toString();
        }

        long heldBytes() {
            long sum = 0;
            for (int i = 0; i < received.size(); i++) {
                sum += acked.get(i) ? 0 : received.get(i).bytes();
            }
            return sum;
        }
    }

    @Test
    void agreesWithANaiveLedgerWhateverTheOrderOfAcks() {
        Seeds.each(300, OffsetLedgerTest::compareWithNaive);
    }

    private static void compareWithNaive(SplittableRandom random) {
        NextOffset start = new NextOffset(random.nextInt(50), 0);
        OffsetLedger ledger = new OffsetLedger(start);
        NaiveLedger naive = new NaiveLedger(start);
        List<Integer> open = new ArrayList<>();
        int leaderEpoch = 0;
        // Some seeds let so much lie open that it takes many pages.
        int steps = random.nextInt(10) == 0 ? 4000 : 300;
        int wanted = random.nextInt(1, steps);
        for (int step = 0; step < steps; step++) {
            boolean receives = open.isEmpty() || (open.size() < wanted && random.nextInt(3) > 0);
            if (receives) {
                leaderEpoch += random.nextInt(20) == 0 ? 1 : 0;
                long gap = random.nextInt(5) == 0 ? random.nextInt(1, 9) : 0;
                long offset = naive.position.offset() + gap;
                int bytes = random.nextInt(1, 5000);
                long sequence = Records.receive(ledger, offset, leaderEpoch, bytes);
                assertThat(sequence).isEqualTo(naive.received.size());
                open.add(naive.received.size());
                naive.received.add(
                        new NaiveLedger.Entry(offset, leaderEpoch, Message.OVERHEAD_BYTES + bytes));
                naive.acked.add(false);
                naive.position = NextOffset.after(offset, leaderEpoch);
            } else {
                int sequence = open.remove(random.nextInt(open.size()));
                ledger.ack(sequence);
                naive.acked.set(sequence, true);
            }
            if (random.nextInt(10) == 0) {
                NextOffset next =
                        new NextOffset(
                                naive.position.offset() + random.nextInt(3),
                                naive.position.leaderEpoch());
                ledger.positionIs(next);
                naive.position = next;
            }
            assertThat(ledger.committable()).isEqualTo(naive.committable());
            assertThat(ledger.unacked()).isEqualTo(open.size());
            assertThat(ledger.span()).isEqualTo(naive.received.size() - naive.firstUnacked());
            if (step % 50 == 0) {
                DoneAhead done = ledger.doneAhead();
                assertThat(done.isEmpty() ? "" : done.toString()).isEqualTo(naive.doneAhead());
                assertThat(ledger.heldBytes()).isEqualTo(naive.heldBytes()); // I8
                assertThat(ledger.derivedHeldBytes()).isEqualTo(naive.heldBytes());
            }
        }
    }

    @Test
    void theRoomThatABurstHasTakenIsGivenBackWhenNothingOfItIsLeft() {
        OffsetLedger ledger = new OffsetLedger(new NextOffset(0, 0));
        for (int i = 0; i < 100_000; i++) {
            Records.receive(ledger, i, 0, 1);
        }
        assertThat(ledger.capacity()).isGreaterThanOrEqualTo(100_000);
        for (int i = 0; i < 99_999; i++) {
            ledger.ack(i);
        }
        assertThat(ledger.committable().offset()).isEqualTo(99_999);
        ledger.ack(99_999);
        assertThat(ledger.capacity()).isLessThanOrEqualTo(8_192);

        for (int i = 100_000; i < 140_000; i++) {
            Records.receive(ledger, i, 0, 1);
        }
        ledger.ack(100_001);
        ledger.ack(100_000);
        assertThat(ledger.committable().offset()).isEqualTo(100_002);
        assertThat(ledger.heldBytes())
                .isEqualTo(39_998L * (Message.OVERHEAD_BYTES + 1))
                .isEqualTo(ledger.derivedHeldBytes());
    }

    @Test
    void knowsOfEachRecordWhichItIs() {
        Seeds.each(50, OffsetLedgerTest::compareNames);
    }

    private static void compareNames(SplittableRandom random) {
        OffsetLedger ledger = new OffsetLedger(new NextOffset(0, 0));
        List<Message> open = new ArrayList<>();
        int often = random.nextInt(2, 60); // of the first, one in so many stays open
        int first = 1;
        if (random.nextBoolean()) { // so much lies between that small pages are made
            first = 9_000;
        }
        for (int i = 0; i < first + 1_000; i++) {
            Message message = message(random, i);
            ledger.receive(message);
            boolean isOneOfMany = i >= first && random.nextInt(often) == 0;
            if (i == 0 || isOneOfMany || i > first + 600) {
                open.add(message);
            } else {
                ledger.ack(i);
                assertThatThrownBy(() -> ledger.ack(message.sequence()))
                        .isInstanceOf(InvariantViolation.class);
            }
        }
        for (Message next : open) {
            assertThat(ledger.firstUnacked(P0)).isEqualTo(MessageName.of(next));
            assertThat(ledger.committable().leaderEpoch()).isEqualTo(next.leaderEpoch());
            ledger.ack(next.sequence());
        }
        assertThat(ledger.firstUnacked(P0)).isNull();
    }

    private static Message message(SplittableRandom random, int offset) {
        String key =
                switch (random.nextInt(4)) {
                    case 0 -> "\u00c4rger " + offset;
                    case 1 -> "\u20ac " + offset;
                    case 2 -> "long ".repeat(random.nextInt(300)) + offset;
                    default -> "key " + offset;
                };
        RowKey row = new RowKey(key, new byte[0], random.nextBoolean());
        int leaderEpoch = offset / 100;
        return Message.of(
                Records.epoch(1), offset, row, Records.record(P0, offset, leaderEpoch, key, "v"));
    }

    @Test
    void aFewOpenRecordsAmongManyTakeLittleRoom() {
        OffsetLedger ledger = new OffsetLedger(new NextOffset(0, 0));
        for (int i = 0; i < 100_000; i++) {
            Records.receive(ledger, i, 0, 1);
        }
        for (int i = 0; i < 100_000; i++) {
            if (i % 100 > 0) {
                ledger.ack(i);
            }
        }
        assertThat(ledger.unacked()).isEqualTo(1_000);
        assertThat(ledger.capacity()).isLessThan(30_000);
        assertThat(ledger.heldBytes()).isEqualTo(ledger.derivedHeldBytes());
    }
}
