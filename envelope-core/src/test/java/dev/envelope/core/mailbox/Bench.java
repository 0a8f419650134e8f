package dev.envelope.core.mailbox;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.offset.OffsetLedger;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.ScriptedHandler;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shards with a worker, without a poll loop: messages are posted and acks read by hand. */
final class Bench {

    static final TurnLimits LIMITS =
            new TurnLimits(100, 1 << 20, 1000, 4 << 20, Duration.ofMillis(100));

    final ManualEnvironment environment = new ManualEnvironment();
    final ScriptedHandler handler = new ScriptedHandler();
    final AckInbox inbox = new AckInbox(environment.environment().parker());
    final List<Throwable> faults = new ArrayList<>();
    final WorkerPool pool;
    final TurnRunner runner;
    final Shard shard;
    final List<AckInbox.Notice> notices = new ArrayList<>();
    private final Map<PartitionEpoch, OffsetLedger> ledgers = new HashMap<>();

    Bench(TurnLimits limits) {
        this(limits, Telemetry.NONE);
    }

    Bench(TurnLimits limits, Telemetry telemetry) {
        this(limits, telemetry, FailurePolicy.Last.STOP);
    }

    Bench(TurnLimits limits, Telemetry telemetry, FailurePolicy.Last last) {
        this(
                limits,
                telemetry,
                new FailurePolicy(3, Duration.ofMillis(100), Duration.ofSeconds(1), last));
    }

    Bench(TurnLimits limits, Telemetry telemetry, FailurePolicy failures) {
        var surroundings = environment.environment();
        runner = new TurnRunner(handler, inbox, limits, failures, surroundings, telemetry);
        pool =
                new WorkerPool(
                        1,
                        1,
                        PoolSizing.GAIN,
                        runner,
                        faults::add,
                        surroundings.ticker(),
                        telemetry);
        shard = newShard(0);
    }

    static Outcome.Failed failed(int saved) {
        return new Outcome.Failed(
                Dispositions.applied(saved), new IllegalStateException("no"), true);
    }

    static Outcome.Unavailable unavailable() {
        return new Outcome.Unavailable(new UnavailableException("the store is away"));
    }

    Shard newShard(int number) {
        return new Shard(number, pool.readyShards(), environment.environment(), new KeyGate());
    }

    /** The next message of the epoch, of that key. */
    Message message(PartitionEpoch epoch, String key) {
        OffsetLedger ledger = ledgerOf(epoch);
        long offset = ledger.position().offset();
        Message message = Records.message(epoch, offset, key, "value");
        ledger.receive(message);
        return message;
    }

    private OffsetLedger ledgerOf(PartitionEpoch epoch) {
        return ledgers.computeIfAbsent(epoch, it -> new OffsetLedger(new NextOffset(0, 0)));
    }

    /** Posts the next messages of the epoch, one of each key. */
    void post(PartitionEpoch epoch, String... keys) {
        List<Message> messages = new ArrayList<>();
        for (String key : keys) {
            messages.add(message(epoch, key));
        }
        shard.post(messages);
    }

    /** One turn, and its acks. */
    boolean turn() {
        boolean ran = pool.turn();
        readAcks();
        return ran;
    }

    void readAcks() {
        inbox.drain(
                notice -> {
                    notices.add(notice);
                    if (notice instanceof AckInbox.Acked acked) {
                        acked.bookInto(ledgerOf(acked.epoch()));
                    }
                });
    }

    /** Turns until nothing is ready. */
    int turns() {
        int turns = 0;
        while (turn()) {
            turns++;
        }
        return turns;
    }

    void advance(long millis) {
        environment.advance(Duration.ofMillis(millis));
    }

    long unacked(PartitionEpoch epoch) {
        return ledgerOf(epoch).unacked();
    }

    <N> List<N> noticesOf(Class<N> kind) {
        return notices.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
