package dev.envelope.integration.bench.client;

import dev.envelope.integration.stack.Database;
import java.nio.file.Path;
import java.util.List;

/**
 * What a contestant is told on its command line.
 *
 * <p>Threads: immutable.
 *
 * @param kind which contestant it is
 * @param group its consumer group, which has not been used before
 * @param schema where its rows go; its tables have been made
 * @param records after how many durable records it is done
 * @param result the file to write what it measured into
 * @param watchesHeap whether to look at the live heap while it runs, which takes time
 */
public record ClientSpec(
        Kind kind,
        String bootstrapServers,
        String topic,
        String group,
        Database database,
        String schema,
        long records,
        Path result,
        boolean watchesHeap) {

    /** The ways to do the work. */
    public enum Kind {
        ENVELOPE,
        ENVELOPE_FOLD,
        BATCH_LOOP,
        RECORD_LOOP
    }

    /** As words of a command line. */
    public List<String> arguments() {
        return List.of(
                kind.name(),
                bootstrapServers,
                topic,
                group,
                database.url(),
                database.user(),
                database.password(),
                schema,
                Long.toString(records),
                result.toString(),
                Boolean.toString(watchesHeap));
    }

    static ClientSpec parse(String[] arguments) {
        return new ClientSpec(
                Kind.valueOf(arguments[0]),
                arguments[1],
                arguments[2],
                arguments[3],
                new Database(arguments[4], arguments[5], arguments[6]),
                arguments[7],
                Long.parseLong(arguments[8]),
                Path.of(arguments[9]),
                Boolean.parseBoolean(arguments[10]));
    }
}
