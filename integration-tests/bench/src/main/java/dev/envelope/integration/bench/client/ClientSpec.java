package dev.envelope.integration.bench.client;

import dev.envelope.integration.stack.Database;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * What a contestant is told: a file that is the only word of its command line.
 *
 * <p>Threads: immutable.
 *
 * @param contestant its name on the command line of the benchmark
 * @param target where its rows go; the tables have been made
 * @param blockMillis how long the handler blocks for each message
 * @param result the file to write what it measured into
 */
public record ClientSpec(
        String contestant,
        Source source,
        Target target,
        Stop stop,
        Watch watch,
        int blockMillis,
        Path result) {

    /**
     * What it reads.
     *
     * @param workload how the records are named on the command line of the benchmark
     * @param group its consumer group
     * @param sessionMillis after which silence the group takes it for dead
     */
    public record Source(
            String bootstrapServers,
            String topic,
            String workload,
            String group,
            int sessionMillis) {}

    /** Where its rows go. */
    public record Target(Database database, String schema) {}

    /**
     * When it is done: after so many durable records, or so many seconds, or when it is told to
     * end.
     */
    public record Stop(long records, int seconds) {}

    /**
     * What is looked at beside the speed.
     *
     * @param launchedMicros when its process was started
     * @param heap whether to collect all through the run, which takes time
     * @param latencies whether records say when they should have been sent
     * @param saves whether to write down when each partition was saved
     * @param duplicates whether a message that is known already counts as done
     */
    public record Watch(
            long launchedMicros,
            boolean heap,
            boolean latencies,
            boolean saves,
            boolean duplicates) {}

    public String bootstrapServers() {
        return source.bootstrapServers();
    }

    public String topic() {
        return source.topic();
    }

    public String group() {
        return source.group();
    }

    public Database database() {
        return target.database();
    }

    public String schema() {
        return target.schema();
    }

    /** The same, to be started now. */
    public ClientSpec launchedAt(long micros) {
        return new ClientSpec(
                contestant,
                source,
                target,
                stop,
                new Watch(micros, watch.heap, watch.latencies, watch.saves, watch.duplicates),
                blockMillis,
                result);
    }

    /** Writes it where {@link #read} finds it. */
    public void write(Path file) throws IOException {
        Properties text = new Properties();
        text.setProperty("contestant", contestant);
        text.setProperty("bootstrapServers", source.bootstrapServers);
        text.setProperty("topic", source.topic);
        text.setProperty("workload", source.workload);
        text.setProperty("group", source.group);
        text.setProperty("sessionMillis", Integer.toString(source.sessionMillis));
        text.setProperty("url", target.database.url());
        text.setProperty("user", target.database.user());
        text.setProperty("password", target.database.password());
        text.setProperty("schema", target.schema);
        text.setProperty("records", Long.toString(stop.records));
        text.setProperty("seconds", Integer.toString(stop.seconds));
        text.setProperty("launchedMicros", Long.toString(watch.launchedMicros));
        text.setProperty("heap", Boolean.toString(watch.heap));
        text.setProperty("latencies", Boolean.toString(watch.latencies));
        text.setProperty("saves", Boolean.toString(watch.saves));
        text.setProperty("duplicates", Boolean.toString(watch.duplicates));
        text.setProperty("blockMillis", Integer.toString(blockMillis));
        text.setProperty("result", result.toString());
        try (Writer writer = Files.newBufferedWriter(file)) {
            text.store(writer, null);
        }
    }

    static ClientSpec read(Path file) throws IOException {
        Properties text = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            text.load(reader);
        }
        return new ClientSpec(
                text.getProperty("contestant"),
                new Source(
                        text.getProperty("bootstrapServers"),
                        text.getProperty("topic"),
                        text.getProperty("workload"),
                        text.getProperty("group"),
                        Integer.parseInt(text.getProperty("sessionMillis"))),
                new Target(
                        new Database(
                                text.getProperty("url"),
                                text.getProperty("user"),
                                text.getProperty("password")),
                        text.getProperty("schema")),
                new Stop(
                        Long.parseLong(text.getProperty("records")),
                        Integer.parseInt(text.getProperty("seconds"))),
                new Watch(
                        Long.parseLong(text.getProperty("launchedMicros")),
                        Boolean.parseBoolean(text.getProperty("heap")),
                        Boolean.parseBoolean(text.getProperty("latencies")),
                        Boolean.parseBoolean(text.getProperty("saves")),
                        Boolean.parseBoolean(text.getProperty("duplicates"))),
                Integer.parseInt(text.getProperty("blockMillis")),
                Path.of(text.getProperty("result")));
    }
}
