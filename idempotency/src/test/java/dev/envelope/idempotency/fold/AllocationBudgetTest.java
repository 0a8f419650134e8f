package dev.envelope.idempotency.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Allocations;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What deduping, decoding, folding and encoding allocate, for a handler such as most are: a record
 * of numbers that sums another up. That it may not grow unseen is the point, not the figure.
 */
final class AllocationBudgetTest {

    private static final int ENVELOPES = 200;
    private static final int OF_A_MESSAGE = 280;
    private static final int OF_AN_ENVELOPE = 840;

    /** What a careless change would cost: a list, a lambda, a copy of a key. */
    private static final int A_LITTLE = 96;

    private static final PartitionEpoch EPOCH = Records.epoch(1);

    /** What comes in. */
    public record Booking(long sequence, long amount) {}

    /** What is kept. */
    public record Account(long balance, long count) {}

    private int wasted; // for each message
    private byte[] waste = {};

    private final EnvelopeFold<Account, Booking> fold =
            new EnvelopeFold<>(
                    (account, booking, message) -> {
                        if (wasted > 0) {
                            waste = new byte[wasted];
                        }
                        return new Account(
                                (account == null ? 0 : account.balance())
                                        + Objects.requireNonNull(booking).amount(),
                                (account == null ? 0 : account.count()) + 1);
                    },
                    JsonStateCodec.of(Account.class),
                    JsonValueFormat.of(Booking.class),
                    MessageIds.NONE,
                    IdLimits.ofCount(1),
                    1 << 20);

    @Test
    void aMessageIsDecodedAndFoldedWithAHandfulOfObjects() {
        long ofOne = bytesPerEnvelope(1, true);
        long ofEleven = bytesPerEnvelope(11, true);

        assertThat((ofEleven - ofOne) / 10).isLessThan(OF_A_MESSAGE);
    }

    @Test
    void anEnvelopeOfOneMessageWithACachedStateMakesItsRow() {
        assertThat(bytesPerEnvelope(1, true)).isLessThan(OF_AN_ENVELOPE);
    }

    @Test
    void whereAMessageCostsALittleMoreThatIsSeen() {
        wasted = A_LITTLE;
        long ofOne = bytesPerEnvelope(1, true);
        long ofEleven = bytesPerEnvelope(11, true);

        assertThat((ofEleven - ofOne) / 10).isGreaterThan(OF_A_MESSAGE);
        assertThat(ofOne).isGreaterThan(OF_AN_ENVELOPE);
        assertThat(waste).isNotEmpty();
    }

    @Test
    void duplicatesAreLeftOutWithoutALookAtTheirValues() {
        long ofOne = bytesPerEnvelope(1, false);
        long ofEleven = bytesPerEnvelope(11, false);

        assertThat((ofEleven - ofOne) / 10).isZero();
    }

    private long bytesPerEnvelope(int messages, boolean areNew) {
        long bytes = 0;
        TurnQuota ofATurn = fold.quota(() -> false);
        for (int i = 0; i < 2 * ENVELOPES; i++) {
            Work<Account> work = work(i * messages, messages, areNew);
            long allocated = Allocations.bytesOf(() -> fold.fold(work, ofATurn, FoldGuard.NONE));
            assertThat(work.change() != null).isEqualTo(areNew);
            bytes += i < ENVELOPES ? 0 : allocated; // the first link what is called by its name
        }
        return bytes / ENVELOPES;
    }

    private static Work<Account> work(int firstOffset, int size, boolean areNew) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            messages.add(message(firstOffset + i));
        }
        Work<Account> work = Work.of(0, Envelope.of("account-17", messages));
        Message last = messages.get(size - 1);
        Snapshot saved = Snapshot.absent("account-17");
        work.startFromCached(
                areNew ? saved : saved.marked(saved.marks().advance(EPOCH.source(), last.next())),
                new Account(1_000, 7));
        return work;
    }

    private static Message message(int offset) {
        return Records.message(
                EPOCH,
                offset,
                "account-17",
                "{\"account\":\"account-17\",\"sequence\":"
                        + offset
                        + ",\"amount\":1250,\"kind\":\"transfer\",\"currency\":\"EUR\"}");
    }
}
