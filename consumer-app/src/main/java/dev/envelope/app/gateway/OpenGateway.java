package dev.envelope.app.gateway;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.ReadKeys.KeyFormat;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.gateway.peer.Peers;
import dev.envelope.app.http.AddressTakenException;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.Recurring;
import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.command.Commands;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.command.kafka.Gateway;
import dev.envelope.idempotency.directory.RowsInMemory;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.store.directory.DirectoryStore.Owner;
import dev.envelope.idempotency.store.place.DividedStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway of a process: its server, and what is behind it.
 *
 * <p>Threads: thread-safe (its parts are).
 */
public final class OpenGateway implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("envelope");
    private static final Duration LOOK_AT_CERTIFICATES = Duration.ofSeconds(30);

    /** How long a reader waits for the owner's memory before it goes to the database. */
    private static final Duration OWNER_PATIENCE = Duration.ofMillis(50);

    private final Gateway gateway;
    private final GatewayServer server;
    private final Peers peers;
    private final Optional<Recurring> certificates;

    /**
     * What the process has for it.
     *
     * @param application whose memory is read, and whose partitions are told
     * @param stuck what is known here of a row's key and a partition whose messages don't get on
     */
    public record Parts(
            ConsumerSettings engine,
            DividedStore store,
            Brokers brokers,
            GatewayMeters meters,
            EnvelopeApplication application,
            BiFunction<String, TopicPartition, List<String>> stuck) {}

    private OpenGateway(
            Gateway gateway, GatewayServer server, Peers peers, Optional<Recurring> certificates) {
        this.gateway = gateway;
        this.server = server;
        this.peers = peers;
        this.certificates = certificates;
    }

    /**
     * Opens the gateway, if the settings want one. It refuses requests until {@link #begin}.
     *
     * @throws InvalidConfigException if its address or its certificate can't be used
     * @throws KafkaException if a client property is wrong
     */
    public static Optional<OpenGateway> of(Settings settings, Parts parts) {
        return settings.get(GatewayKeys.LISTEN).map(address -> open(settings, address, parts));
    }

    private static OpenGateway open(Settings settings, HostPort address, Parts parts) {
        Optional<Certificates> certificates = certificates(settings);
        String topic =
                settings.find(GatewayKeys.TOPIC)
                        .orElseGet(() -> settings.get(ReadKeys.TOPICS).get(0));
        GatewayServer.Limits limits =
                new GatewayServer.Limits(
                        settings.get(GatewayKeys.MAX_WAITING),
                        settings.get(GatewayKeys.MAX_BYTES),
                        Math.toIntExact(settings.get(GatewayKeys.MAX_BODY)));
        Gateway gateway =
                Gateway.open(
                        parts.store,
                        parts.brokers,
                        parts.engine,
                        new Gateway.Settings(
                                topic,
                                settings.get(GatewayKeys.PARTITIONER),
                                idHeader(settings),
                                advertised(settings, address).toString(),
                                new Commands.Limits(limits.waiting(), limits.part())),
                        parts.application.consumer()::status,
                        parts.application.cache(),
                        System::nanoTime);
        Peers peers =
                new Peers(
                        OWNER_PATIENCE,
                        settings.find(GatewayKeys.TOKEN),
                        () -> certificates.map(it -> it.tls().getSslContext()).orElse(null));
        try {
            GatewayServer server =
                    GatewayServer.open(
                            address,
                            tokens(settings),
                            apis(settings, topic, gateway, peers, limits, parts),
                            limits,
                            parts.meters,
                            certificates.map(Certificates::tls).orElse(null));
            parts.application.onAnswer(gateway.commands()::saved);
            parts.meters.of(gateway.commands(), gateway.reads());
            return new OpenGateway(gateway, server, peers, certificates.map(OpenGateway::watch));
        } catch (AddressTakenException e) {
            gateway.close();
            throw refused(
                    settings,
                    GatewayKeys.LISTEN,
                    String.valueOf(e.getMessage()),
                    "set another address, or gateway.listen=none");
        }
    }

    private static GatewayHandler.Apis apis(
            Settings settings,
            String topic,
            Gateway gateway,
            Peers peers,
            GatewayServer.Limits limits,
            Parts parts) {
        Entities entities = Entities.of(gateway);
        KeyFormat format =
                settings.get(ReadKeys.KEY_FORMAT)
                        .match(
                                builtIn -> builtIn,
                                className -> {
                                    throw new IllegalArgumentException(className);
                                });
        EntityKeys keys =
                new EntityKeys(
                        topic,
                        format,
                        new RowKeys(parts.engine.keyFormat(), parts.engine.keyScope()));
        Waits waits = new Waits(settings.get(GatewayKeys.MAX_WAIT));
        return new GatewayHandler.Apis(
                keys,
                new CommandsApi(
                        entities,
                        new ValueCheck(settings.get(ReadKeys.VALUE_FORMAT)),
                        headers(settings),
                        waits,
                        parts.stuck),
                new ReadsApi(
                        entities,
                        keys,
                        waits,
                        new OwnerReads(homes(gateway), peers, limits.part()),
                        settings.get(GatewayKeys.READ) == GatewayKeys.Read.OWNER
                                ? ReadsApi.From.OWNER
                                : ReadsApi.From.DATABASE));
    }

    private static OwnerReads.Homes homes(Gateway gateway) {
        return new OwnerReads.Homes() {
            @Override
            public Optional<TopicPartition> of(EntityKey key) {
                return gateway.homes().of(key.record());
            }

            @Override
            public Optional<Owner> owner(TopicPartition partition) {
                return gateway.homes().owner(partition);
            }

            @Override
            public Optional<RowsInMemory.Found> find(
                    EntityKey key, TopicPartition home, @Nullable LogPosition atLeast) {
                return gateway.homes().find(key.row(), home, atLeast);
            }
        };
    }

    /** Where other processes reach the gateway. An address of all interfaces names none. */
    private static HostPort advertised(Settings settings, HostPort address) {
        return settings.find(GatewayKeys.ADVERTISE)
                .orElseGet(
                        () ->
                                address.isWildcard()
                                        ? new HostPort(hostName(), address.port())
                                        : address);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static String idHeader(Settings settings) {
        return settings.get(ReadKeys.DEDUPE_ID)
                .match(
                        () -> "",
                        header -> header,
                        () -> "ce_id",
                        pointer -> {
                            throw new IllegalArgumentException(pointer);
                        });
    }

    /** The id of a CloudEvent is unique within its source only, so it needs one. */
    private static List<Header> headers(Settings settings) {
        String source = "envelope:" + settings.get(ReadKeys.APPLICATION_ID);
        return settings.get(ReadKeys.DEDUPE_ID)
                .match(
                        List::of,
                        header -> List.of(),
                        () -> List.of(CommandsApi.header("ce_source", source)),
                        pointer -> List.of());
    }

    private static Optional<Certificates> certificates(Settings settings) {
        try {
            return settings.find(GatewayKeys.TLS_CERTIFICATE).isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new Certificates(
                                    new Certificates.Pem(
                                            settings.get(GatewayKeys.TLS_CERTIFICATE),
                                            settings.get(GatewayKeys.TLS_KEY),
                                            settings.find(GatewayKeys.TLS_CLIENT_CA))));
        } catch (Certificates.BadFileException e) {
            throw refused(
                    settings,
                    GatewayKeys.TLS_CERTIFICATE,
                    String.valueOf(e.getMessage()),
                    "see gateway.tls.certificate, gateway.tls.key and gateway.tls.client.ca");
        }
    }

    private static Recurring watch(Certificates certificates) {
        return Recurring.start(
                "gateway-certificates",
                LOOK_AT_CERTIFICATES,
                () -> {
                    certificates.look();
                    return false;
                });
    }

    private static InvalidConfigException refused(
            Settings settings, Key<?> key, String why, String hint) {
        ProblemCollector problems = new ProblemCollector();
        problems.error(settings.origin(key), key.name(), why, hint);
        return new InvalidConfigException(problems.problems());
    }

    private static List<Secret> tokens(Settings settings) {
        return Stream.of(GatewayKeys.TOKEN, GatewayKeys.TOKEN_FORMER)
                .flatMap(key -> settings.find(key).stream())
                .toList();
    }

    /** Takes requests from now on. */
    public void begin() {
        server.begin();
        log.info("the gateway takes commands and reads at {}", server.url());
    }

    /** Refuses requests from now on; those that have begun are answered while time is left. */
    public void end() {
        server.end();
    }

    /** Accepts the tokens of these settings, and no others. */
    public void admit(Settings next) {
        server.admit(tokens(next));
        peers.show(next.find(GatewayKeys.TOKEN));
    }

    /** The status of its loops. */
    public List<Recurring.Status> loops() {
        List<Recurring.Status> loops = new ArrayList<>(gateway.loops());
        certificates.ifPresent(it -> loops.add(it.status()));
        return loops;
    }

    /** Answers what waits, and ends. */
    @Override
    public void close() {
        server.end();
        gateway.close();
        server.close();
        certificates.ifPresent(Recurring::close);
    }
}
