package dev.envelope.integration.simulation;

import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.LogPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Callers who have put a message into the log and read its key: they know where it is, and want an
 * answer that contains it. Whoever gets none asks another process.
 *
 * <p>Threads: one thread.
 */
final class Callers {

    private static final long MILLIS = 1_000_000;
    private static final int LATEST_MILLIS = 2_500;
    private static final long LOST_AFTER = 1_000 * MILLIS;

    /** One read of what was put; it is asked of one process after the other. */
    private final class Caller {

        private final SimRecord put;
        private final SimPartition log;
        private @Nullable SimInstance asked;
        private long since;
        private long tries;

        Caller(SimRecord put, SimPartition log) {
            this.put = put;
            this.log = log;
        }

        void ask() {
            long number = ++tries;
            since = world.scheduler().now();
            SimInstance process = world.processes().one();
            asked = process;
            if (isOfNobody()) {
                waiting.remove(this);
            } else if (process == null) {
                again(number);
            } else {
                String row = world.settings().rowKey(log.name().topic(), String.valueOf(put.key()));
                LogPosition at =
                        new LogPosition(log.name().topic(), log.name().partition(), put.offset());
                CompletableFuture<Read> future = process.reads().read(row, at);
                var unused =
                        future.whenComplete(
                                (read, failure) -> answered(number, row, read, process));
                again(number);
            }
        }

        /** Asks once more if the process dies, and when it does not answer. */
        private void again(long number) {
            world.scheduler().after(LOST_AFTER, () -> askIfLost(number));
        }

        private void askIfLost(long number) {
            if (number == tries && waiting.contains(this)) {
                SimInstance process = asked;
                if (process == null || process.isDead()) {
                    world.faults().landed(Fault.READ_ASKED_AGAIN);
                    ask();
                } else {
                    again(number);
                }
            }
        }

        private void answered(long number, String row, @Nullable Read read, SimInstance process) {
            if (number != tries || process.isDead() || !waiting.contains(this)) {
                return;
            }
            if (read instanceof Read.Found found) {
                waiting.remove(this);
                answered.add(this);
                world.faults().landed(Fault.READ_ANSWERED);
                if (world.scheduler().now() - since > 100 * MILLIS) {
                    world.faults().landed(Fault.READ_WAITED);
                }
                world.checks().reads().found(process, row, put, log, found.entity());
            } else {
                world.faults().landed(Fault.READ_ASKED_AGAIN);
                world.scheduler().after(100 * MILLIS, this::ask);
            }
        }

        @Override
        public String toString() {
            return put.toString();
        }

        /** Whether its message has gone with its log. */
        private boolean isOfNobody() {
            return world.log().find(log.name()) != log || !log.records().contains(put);
        }
    }

    private final World world;
    private final int oneIn;
    private final List<Caller> waiting = new ArrayList<>();
    private final List<Caller> answered = new ArrayList<>();

    /**
     * In a quarter of the seeds.
     *
     * @param mayRead whether they may in this seed
     */
    Callers(World world, boolean mayRead) {
        this.world = world;
        RandomGenerator random = world.random();
        oneIn = random.nextInt(4) == 0 && mayRead ? 10 + random.nextInt(40) : 0;
    }

    /** Whether anybody reads in this seed. */
    boolean isOn() {
        return oneIn > 0;
    }

    /** A message was put into the log: perhaps its producer reads its key, some time later. */
    void put(SimRecord record, SimPartition log) {
        RandomGenerator random = world.random();
        if (isOn() && record.key() != null && !record.isTombstone() && random.nextInt(oneIn) == 0) {
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                Caller caller = new Caller(record, log);
                waiting.add(caller);
                world.scheduler().after(random.nextInt(LATEST_MILLIS) * MILLIS, caller::ask);
            }
        }
    }

    /** The database has gone back: whoever had an answer asks again. */
    void askAgain() {
        List<Caller> all = List.copyOf(answered);
        answered.clear();
        waiting.addAll(all);
        all.forEach(it -> world.scheduler().after(0, it::ask));
    }

    @Override
    public String toString() {
        return waiting.toString();
    }

    /** Whether each of them whose log is caught up has its answer. */
    boolean areContent() {
        return waiting.stream()
                .noneMatch(it -> !it.isOfNobody() && world.checks().progress().isCaughtUp(it.log));
    }
}
