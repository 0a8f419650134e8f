package dev.envelope.integration.microbench;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.KeyOrder;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** What an envelope pays for its row's snapshot, and for its row's place in a statement. */
@State(Scope.Thread)
public class CacheBenchmark {

    private static final int KEYS = 100_000;
    private static final int TURN = 5_000;

    private final SnapshotCache<Object> cache = new SnapshotCache<>(64 << 20);
    private final List<Snapshot> rows = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(1);

    @Setup
    public void setUp() {
        for (int i = 0; i < KEYS; i++) {
            String key = "account-%08x".formatted(i * 0x9E3779B1);
            rows.add(new Snapshot(key, 1, new byte[60], Marks.NONE, null, 0));
            cache.put(rows.get(i), this, 1);
        }
    }

    @Benchmark
    @OperationsPerInvocation(TURN)
    public void takeAndPut(Blackhole sink) {
        for (int i = 0; i < TURN; i++) {
            Snapshot row = rows.get(random.nextInt(KEYS));
            sink.consume(cache.take(row.key(), 1));
            cache.put(row, this, 1);
        }
    }

    @Benchmark
    @OperationsPerInvocation(TURN)
    public int[] sort() {
        int from = random.nextInt(KEYS - TURN);
        return KeyOrder.places(rows.subList(from, from + TURN), Snapshot::key);
    }
}
