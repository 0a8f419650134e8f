package dev.envelope.integration.cluster;

import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.oracle.CommitSampler;
import dev.envelope.integration.oracle.Journal;
import dev.envelope.integration.oracle.Oracle;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.Schema;
import dev.envelope.integration.oracle.StoredRows;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * A topic, a schema and the processes of one group.
 *
 * <p>Threads: one at a time; what only reads the processes may be called by any thread.
 */
public final class ConsumerGroup implements AutoCloseable {

    /** The schema of every application here, and what those of slots begin with. */
    public static final String SCHEMA = "ledger";

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Servers servers;
    private final String name;
    private final String protocol;
    private final List<Database> places;
    private final int slots;
    private final Map<String, String> client;
    private final List<ConsumerProcess> processes = new CopyOnWriteArrayList<>();

    private ConsumerGroup(
            Servers servers,
            String name,
            String protocol,
            List<Database> places,
            int slots,
            Map<String, String> client) {
        this.servers = servers;
        this.name = name;
        this.protocol = protocol;
        this.places = List.copyOf(places);
        this.slots = slots;
        this.client = Map.copyOf(client);
    }

    /**
     * Makes the topic and the schema; starts nothing.
     *
     * @param name of the topic, the application and the database
     */
    public static ConsumerGroup create(
            Servers servers, String name, String protocol, int partitions) {
        servers.topics()
                .create(name, partitions, Map.of("max.message.bytes", Integer.toString(16 << 20)));
        return withNewDatabase(servers, name, protocol, name.replace('-', '_'));
    }

    /** The same group and topic before an empty database. */
    public ConsumerGroup withEmptyDatabase() {
        return withNewDatabase(servers, name, protocol, name.replace('-', '_') + "_anew");
    }

    /** The same with further properties of the processes' Kafka clients. */
    public ConsumerGroup withClientProperties(Map<String, String> properties) {
        return new ConsumerGroup(servers, name, protocol, places, slots, properties);
    }

    /** The same with so many slots that divide the partitions, instead of a coordinator. */
    public ConsumerGroup withSlots(int count) {
        return new ConsumerGroup(servers, name, protocol, places, count, client);
    }

    /**
     * The same, whose processes are counted as dead after so long: those of most tests are after
     * two seconds, in which a busy machine may not let one run.
     */
    public ConsumerGroup withSessionTimeout(Duration timeout)
            throws InterruptedException, ExecutionException {
        String millis = Long.toString(timeout.toMillis());
        if (protocol.equals("classic")) {
            Map<String, String> properties = new HashMap<>(client);
            properties.put("consumer.session.timeout.ms", millis);
            return withClientProperties(properties);
        }
        ConfigEntry entry = new ConfigEntry("consumer.session.timeout.ms", millis);
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, name);
        AlterConfigOp set = new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
        servers.topics().admin().incrementalAlterConfigs(Map.of(group, List.of(set))).all().get();
        return this;
    }

    private static ConsumerGroup withNewDatabase(
            Servers servers, String name, String protocol, String databaseName) {
        List<Database> places = servers.createDatabases(databaseName);
        ConsumerGroup group = new ConsumerGroup(servers, name, protocol, places, 0, Map.of());
        ConsumerMain.storeSettings(group.spec("none", Mutant.NONE))
                .forEach(slot -> new Migrator(slot, null).migrate());
        group.journal().install();
        return group;
    }

    /** Starts a process. */
    public ConsumerProcess start() {
        return start(Mutant.NONE);
    }

    /** Starts one that breaks a promise. */
    public ConsumerProcess start(Mutant mutant) {
        String instance = name + "-" + (processes.size() + 1);
        ConsumerProcess started =
                ConsumerProcess.start(servers.workspace(), spec(instance, mutant));
        processes.add(started);
        return started;
    }

    private ConsumerSpec spec(String instance, Mutant mutant) {
        Path beat = servers.workspace().folder().resolve(instance + ".beat");
        return new ConsumerSpec(
                instance,
                servers.bootstrapServers(),
                name,
                name,
                protocol,
                places,
                SCHEMA,
                mutant,
                slots,
                client,
                beat);
    }

    /** Waits until everything in the log is done: the group's commits are at its end. */
    public void awaitDone() {
        Map<TopicPartition, Long> ends = committedEnds();
        Waiting.until(
                PATIENCE,
                PAUSE,
                () -> {
                    failIfOneHasFailed();
                    Map<TopicPartition, Long> commits = commits();
                    return ends.entrySet().stream()
                            .allMatch(
                                    end ->
                                            commits.getOrDefault(end.getKey(), 0L)
                                                    >= end.getValue());
                },
                () -> "stall: " + commits() + " of " + ends + lastWords());
    }

    private String lastWords() {
        StringBuilder words = new StringBuilder();
        processes.stream()
                .filter(ConsumerProcess::isAlive)
                .forEach(it -> words.append('\n').append(it.failure("has not finished")));
        return words.toString();
    }

    /** A process that ended by itself is a finding of its own. */
    public void failIfOneHasFailed() {
        processes.stream()
                .filter(ConsumerProcess::hasFailed)
                .findFirst()
                .ifPresent(
                        it -> {
                            throw new IllegalStateException(it.failure("has ended by itself"));
                        });
    }

    private Map<TopicPartition, Long> committedEnds() {
        return servers.topics().endOffsets(name);
    }

    private Map<TopicPartition, Long> commits() {
        Map<TopicPartition, Long> commits = new HashMap<>();
        servers.topics()
                .committed(name)
                .forEach(
                        (partition, commit) -> {
                            if (commit != null) {
                                commits.put(partition, commit.offset());
                            }
                        });
        return commits;
    }

    /** What an operator does with Kafka's own tool: the group's offsets back to the start. */
    public void resetOffsetsToEarliest() throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        committedEnds().keySet().forEach(it -> wanted.put(it, OffsetSpec.earliest()));
        Map<TopicPartition, ListOffsetsResultInfo> starts =
                servers.topics().admin().listOffsets(wanted).all().get();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        starts.forEach((it, start) -> offsets.put(it, new OffsetAndMetadata(start.offset())));
        servers.topics().admin().alterConsumerGroupOffsets(name, offsets).all().get();
    }

    /** What an operator does to begin anew: the group is forgotten. */
    public void deleteOffsets() throws InterruptedException, ExecutionException {
        servers.topics().admin().deleteConsumerGroups(List.of(name)).all().get();
    }

    /** Of the group, the topic and the application. */
    public String name() {
        return name;
    }

    public String bootstrapServers() {
        return servers.bootstrapServers();
    }

    /** All processes that were ever started. */
    public List<ConsumerProcess> processes() {
        return List.copyOf(processes);
    }

    public StoredRows rows() {
        return new StoredRows(schemas());
    }

    /** The only one, or the first of several places. */
    public Database database() {
        return places.get(0);
    }

    /** Where the rows are, in the order of their slots. */
    public List<Schema> schemas() {
        return spec("none", Mutant.NONE).schemas();
    }

    public Journal journal() {
        return new Journal(schemas());
    }

    /** A look at the topic that is independent of the product. */
    public ReferenceReplay replay() {
        return new ReferenceReplay(bootstrapServers(), name);
    }

    /** Reads the log to its end and judges by it what is in the database. */
    public Oracle judge(ReferenceReplay truth, Findings findings) {
        truth.readToEnd();
        Oracle oracle = new Oracle(truth.expected(), rows(), journal(), findings);
        oracle.judge();
        return oracle;
    }

    public CommitSampler sampler(ReferenceReplay truth, Findings findings) {
        return new CommitSampler(servers.topics(), name, truth, rows(), findings);
    }

    /** Sum over all processes. */
    public long total(Beat.Count count) {
        return processes.stream().mapToLong(it -> it.beat().get(count)).sum();
    }

    /** Kills what still runs. */
    @Override
    public void close() {
        processes.stream().filter(ConsumerProcess::isAlive).forEach(ConsumerProcess::kill);
    }
}
