package dev.envelope.integration.chain;

import dev.envelope.idempotency.output.OutputSender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Ends this process when its stage has come up for the n-th time. Nothing is run, flushed or
 * closed: to the others it is as if it had been killed with -9.
 *
 * <p>Threads: one thread, the relay's.
 */
final class StagedSender implements OutputSender {

    /** The exit code of a process that has ended itself. */
    static final int EXIT_CODE = 99;

    private static final long COMMIT_NANOS = 4_000_000;

    private final OutputSender sender;
    private final Stage stage;
    private final Flaw flaw;
    private int occasions;

    StagedSender(OutputSender sender, Stage stage, int occasions, Flaw flaw) {
        this.sender = sender;
        this.stage = stage;
        this.occasions = occasions;
        this.flaw = flaw;
    }

    private void at(Stage reached) {
        if (isDue(reached)) {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    private boolean isDue(Stage reached) {
        return reached == stage && --occasions <= 0;
    }

    @Override
    public List<String> ids() {
        return sender.ids();
    }

    @Override
    public void open(long number) {
        sender.open(number);
        at(Stage.AFTER_INIT);
    }

    @Override
    public Batch begin() {
        return new Staged(sender.begin());
    }

    @Override
    public OptionalLong committed(List<String> ids) {
        OptionalLong number = sender.committed(ids);
        at(Stage.AFTER_FENCE);
        return switch (flaw) {
            case NUMBERS_LOST -> OptionalLong.empty();
            case TAKEN_FOR_COMMITTED -> OptionalLong.of(Long.MAX_VALUE);
            default -> number;
        };
    }

    @Override
    public void close() {
        sender.close();
    }

    private final class Staged implements Batch {

        private final Batch batch;

        Staged(Batch batch) {
            this.batch = batch;
        }

        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> sent =
                    new ArrayList<>(records);
            if (flaw == Flaw.REVERSED) {
                Collections.reverse(sent);
            }
            batch.send(sent);
            at(Stage.AFTER_SEND);
        }

        @Override
        public Map<Integer, String> commit(long number) {
            at(Stage.BEFORE_COMMIT);
            if (isDue(Stage.DURING_COMMIT)) {
                Thread end = new Thread(StagedSender::endSoon, "end");
                end.start();
            }
            Map<Integer, String> refused = batch.commit(number);
            at(Stage.AFTER_COMMIT);
            return refused;
        }

        @Override
        public void abort() {
            batch.abort();
        }
    }

    /** While the commit is under way: a commit takes a few milliseconds. */
    private static void endSoon() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(COMMIT_NANOS));
        Runtime.getRuntime().halt(EXIT_CODE);
    }
}
