package dev.envelope.integration.microbench;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.OffsetLedger;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A poll's records received by a new ledger and acked, in any order. */
@State(Scope.Thread)
public class LedgerBenchmark {

    private final Message[] messages = Samples.messages(1_000);
    private final int[] order = shuffled(Samples.BATCH);

    private static int[] shuffled(int count) {
        int[] order = IntStream.range(0, count).toArray();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int moved = order[i];
            order[i] = order[other];
            order[other] = moved;
        }
        return order;
    }

    @Benchmark
    @OperationsPerInvocation(Samples.BATCH)
    public long receiveAndAck() {
        OffsetLedger ledger = new OffsetLedger(new NextOffset(0, 0));
        for (Message message : messages) {
            ledger.receive(message);
        }
        for (int place : order) {
            ledger.ack(place);
        }
        return ledger.committable().offset();
    }
}
