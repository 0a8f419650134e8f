package dev.envelope.idempotency.command.kafka;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.Recurring;
import dev.envelope.core.position.KafkaTopicAdmin;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.idempotency.command.Commands;
import dev.envelope.idempotency.command.EntityReads;
import dev.envelope.idempotency.command.Homes;
import dev.envelope.idempotency.command.Partitioner;
import dev.envelope.idempotency.command.TopicsNow;
import dev.envelope.idempotency.directory.Directory;
import dev.envelope.idempotency.directory.RowsInMemory;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.place.CallersStore;
import dev.envelope.idempotency.store.place.DividedStore;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/**
 * What is behind a gateway: commands and reads of an application, with a producer and threads of
 * their own.
 *
 * <p>Threads: thread-safe (immutable).
 */
public final class Gateway implements AutoCloseable {

    private static final int ASK_MILLIS = 3_000;
    private static final Duration LOOK_AT_TOPICS = Duration.ofSeconds(1);
    private static final Duration LOOK_AT_OWNERS = Duration.ofMillis(500);

    private final Admin admin;
    private final Commands commands;
    private final EntityReads reads;
    private final Homes homes;
    private final List<Recurring> loops;

    /**
     * The settings.
     *
     * @param topic that commands are put into, one of the application's
     * @param idHeader the header that the application takes event ids from, such as {@code ce_id}
     * @param address at which other processes reach this one
     */
    public record Settings(
            String topic,
            Partitioner partitioner,
            String idHeader,
            String address,
            Commands.Limits limits) {}

    private Gateway(
            Admin admin, Commands commands, EntityReads reads, Homes homes, List<Recurring> loops) {
        this.admin = admin;
        this.commands = commands;
        this.reads = reads;
        this.homes = homes;
        this.loops = loops;
    }

    /**
     * Opens it; neither brokers nor database have to be reachable yet.
     *
     * @param brokers of the topics
     * @param engine of which it takes the topics
     * @param status of the engine
     * @param cache of the application
     * @throws KafkaException if a client property is wrong
     */
    public static Gateway open(
            DividedStore store,
            Brokers brokers,
            ConsumerSettings engine,
            Settings settings,
            Supplier<EngineStatus> status,
            SnapshotCache<?> cache,
            LongSupplier nanoTime) {
        Admin admin = brokers.ask(ASK_MILLIS);
        TopicsNow topics =
                new TopicsNow(new KafkaTopicAdmin(admin, engine.applicationId()), engine.topics());
        KafkaCommandLog log =
                new KafkaCommandLog(
                        brokers.producer(),
                        settings.topic(),
                        topics,
                        settings.idHeader(),
                        settings.limits().bytes());
        Recurring watch =
                Recurring.start(
                        "gateway-topics",
                        LOOK_AT_TOPICS,
                        () -> {
                            topics.look();
                            log.learn();
                            return false;
                        });
        watch.wake();
        CallersStore callers = store.callers();
        Directory directory =
                new Directory(store.home().directory(), status, settings.address(), nanoTime);
        RowsInMemory rows =
                new RowsInMemory(
                        cache,
                        status,
                        store.home().checkpoints(),
                        engine.topics(),
                        topics::find,
                        () -> !topics.trouble().isEmpty());
        Recurring owners =
                Recurring.start(
                        "gateway-owners",
                        LOOK_AT_OWNERS,
                        () -> {
                            directory.look();
                            rows.learn();
                            callers.learn(engine.topics());
                            return false;
                        });
        return new Gateway(
                admin,
                Commands.open(
                        callers, topics, log, settings.partitioner(), settings.limits(), nanoTime),
                new EntityReads(callers, topics, settings.limits(), nanoTime),
                new Homes(topics, settings.topic(), settings.partitioner(), directory, rows),
                List.of(watch, owners));
    }

    public Commands commands() {
        return commands;
    }

    public EntityReads reads() {
        return reads;
    }

    /** Where keys live. */
    public Homes homes() {
        return homes;
    }

    /** The status of its loops. */
    public List<Recurring.Status> loops() {
        return loops.stream().map(Recurring::status).toList();
    }

    /** Gives each call that is under way an outcome, and ends the threads. */
    @Override
    public void close() {
        Recurring.close(loops);
        commands.close();
        reads.close();
        admin.close(Duration.ZERO);
    }
}
