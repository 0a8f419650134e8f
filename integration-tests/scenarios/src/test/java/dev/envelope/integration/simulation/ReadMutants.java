package dev.envelope.integration.simulation;

import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.row.RowReads;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A wiring that breaks a promise about reads that wait for an offset. */
final class ReadMutants {

    private ReadMutants() {}

    /** Of a topic that the database does not know, the checkpoint of a former one counts. */
    static final Wiring AT_LEAST_BY_FORMER_TOPIC =
            new Wiring() {
                @Override
                public RowReads reads(RowReads reads, InMemoryDatabase database) {
                    return new Judged(
                            reads,
                            log ->
                                    database.sources().stream()
                                            .filter(
                                                    it ->
                                                            it.partition().partition()
                                                                    == log.partition())
                                            .max(Comparator.comparing(Source::checkpoint))
                                            .map(ReadMutants::progress));
                }
            };

    private static RowReads.Progress progress(Source of) {
        return new RowReads.Progress(of.number(), of.checkpoint().offset(), false);
    }

    private interface Unknown {
        Optional<RowReads.Progress> progress(RowReads.Log log);
    }

    private record Judged(RowReads rows, Unknown unknown) implements RowReads {

        @Override
        public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
            Look look = rows.read(keys, logs, mostBytes);
            Map<Log, Progress> known = new HashMap<>(look.logs());
            for (Log log : logs) {
                if (!known.containsKey(log)) {
                    unknown.progress(log).ifPresent(it -> known.put(log, it));
                }
            }
            return new Look(look.rows(), known);
        }

        @Override
        public Map<String, Marks> marks(Collection<String> keys) {
            return rows.marks(keys);
        }
    }
}
