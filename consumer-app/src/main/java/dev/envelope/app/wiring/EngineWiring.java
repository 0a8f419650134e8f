package dev.envelope.app.wiring;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.StoreDivision;
import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.FailureKeys.OnOtherVersion;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.SlotKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.database.TableWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.position.PositionPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the engine's settings from those of the process. */
public final class EngineWiring {

    private static final long LEAST_TURN_BYTES = 32L << 20;

    private EngineWiring() {}

    /**
     * The settings of the engine.
     *
     * @param instance the process's name, which brokers and their logs see as part of the client id
     * @throws InvalidConfigException if a user's own class can't be loaded
     */
    public static ConsumerSettings of(Settings settings, String instance) {
        return new ConsumerSettings(
                settings.get(ReadKeys.APPLICATION_ID),
                topics(settings),
                clients(settings, instance),
                settings.isOfTable()
                        ? KeyFormats.string() // the text of a column, whatever its type
                        : HandlerWiring.keyFormat(settings),
                keyScope(settings),
                nullKeys(settings),
                positions(settings),
                failures(settings),
                turns(settings),
                loop(settings),
                settings.get(LimitKeys.POOL_SIZE),
                settings.mostWorkers(),
                settings.get(LimitKeys.POOL_SIZE_BY),
                settings.get(LimitKeys.POOL_KIND),
                settings.shards(),
                new Ordering(settings.get(WorkKeys.ORDERING), 1),
                slots(settings),
                settings.hasStore() ? StoreDivision.of(settings).division() : Division.NONE);
    }

    /** Null if the group divides the partitions. */
    static @Nullable SlotPlan slots(Settings settings) {
        int count = settings.find(SlotKeys.SLOTS).orElse(1);
        return settings.isOfTable()
                        || settings.get(SlotKeys.ASSIGNMENT) == SlotKeys.Assignment.SLOTS
                ? new SlotPlan(
                        count,
                        settings.find(SlotKeys.SLOTS_FROM).orElse(count),
                        settings.get(SlotKeys.SLOTS_PER_PROCESS),
                        settings.get(SlotKeys.SLOTS_TIMEOUT))
                : null;
    }

    /** What is read: topics, or the table under its name among the sources. */
    private static Set<String> topics(Settings settings) {
        return settings.isOfTable()
                ? Set.of(TableWiring.of(settings).source())
                : Set.copyOf(settings.get(ReadKeys.TOPICS));
    }

    /** What an admin client of our own needs to reach the same cluster. */
    public static Map<String, Object> admin(Settings settings) {
        Map<String, Object> properties = new HashMap<>(settings.kafka().of(Client.ADMIN));
        properties.put("bootstrap.servers", servers(settings));
        return properties;
    }

    /** The brokers, in the form of {@code bootstrap.servers}. */
    public static String servers(Settings settings) {
        return settings.get(ReadKeys.BOOTSTRAP_SERVERS).stream()
                .map(HostPort::toString)
                .collect(Collectors.joining(","));
    }

    private static Map<String, Object> clients(Settings settings, String instance) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("consumer.client.id", "envelope-" + instance);
        if (settings.isOfTable()) {
            return properties;
        }
        properties.put("bootstrap.servers", servers(settings));
        for (Client client : List.of(Client.CONSUMER, Client.ADMIN)) {
            String prefix = client == Client.CONSUMER ? "consumer." : "admin.";
            settings.kafka()
                    .of(client)
                    .forEach((key, value) -> properties.put(prefix + key, value));
        }
        return properties;
    }

    /** The keys of a single topic need no topic in front of them. */
    static RowKeys.Scope keyScope(Settings settings) {
        boolean hasSeveral = topics(settings).size() > 1; // not asked for with work
        return settings.find(ReadKeys.KEY_SCOPE)
                .orElse(hasSeveral ? RowKeys.Scope.TOPIC : RowKeys.Scope.APPLICATION);
    }

    /** What becomes of records without a key. */
    public static NullKeys nullKeys(Settings settings) {
        return switch (settings.get(FailureKeys.ON_NULL_KEY)) {
            case REJECT -> new NullKeys.Reject();
            case PARTITION -> new NullKeys.Partition();
            case SPREAD -> new NullKeys.Spread(settings.get(FailureKeys.NULL_KEY_SPREAD));
        };
    }

    private static PositionPolicy positions(Settings settings) {
        return new PositionPolicy(
                settings.get(ReadKeys.START_FROM),
                settings.get(FailureKeys.ON_OFFSET_AHEAD),
                settings.get(FailureKeys.ON_GAP),
                settings.get(FailureKeys.ON_TOPIC_RECREATED),
                settings.get(FailureKeys.ON_LOG_TRUNCATED),
                settings.isOfTable() // whether a row is done decides, whoever reads it
                        ? Duration.ZERO
                        : settings.get(FailureKeys.PARTITION_GRACE));
    }

    private static FailurePolicy failures(Settings settings) {
        return new FailurePolicy(
                settings.get(FailureKeys.RETRY_MAX_ATTEMPTS),
                settings.get(FailureKeys.RETRY_BACKOFF_INITIAL),
                settings.get(FailureKeys.RETRY_BACKOFF_MAX),
                settings.get(FailureKeys.ON_FAILURE),
                Set.copyOf(settings.find(FailureKeys.RETRY_NEVER).orElse(List.of())),
                new FailurePolicy.Patience(
                        settings.get(FailureKeys.DECODE_RETRY_MAX),
                        settings.get(FailureKeys.ON_OTHER_VERSION) == OnOtherVersion.STOP
                                ? Duration.ZERO
                                : settings.get(FailureKeys.OTHER_VERSION_WAIT_MAX)));
    }

    private static TurnLimits turns(Settings settings) {
        long envelopeBytes = settings.get(LimitKeys.ENVELOPE_MAX_BYTES);
        return new TurnLimits(
                settings.get(LimitKeys.ENVELOPE_MAX_MESSAGES),
                envelopeBytes,
                settings.get(LimitKeys.TURN_MAX_MESSAGES),
                Math.max(LEAST_TURN_BYTES, envelopeBytes),
                settings.get(LimitKeys.TURN_MAX_TIME),
                settings.get(HandlerKeys.HANDLER_TIMEOUT));
    }

    private static PollLoop.Limits loop(Settings settings) {
        return new PollLoop.Limits(
                settings.get(LimitKeys.PREFETCH_MAX_BYTES),
                settings.get(LimitKeys.AHEAD_MAX_RECORDS),
                settings.get(LimitKeys.COMMIT_INTERVAL),
                settings.get(OperationKeys.REVOKE_DRAIN_TIMEOUT));
    }
}
