package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.GATEWAY;
import static dev.envelope.app.config.key.Key.Trait.RELOADABLE;
import static dev.envelope.app.config.value.Places.absoluteFile;
import static dev.envelope.app.config.value.Places.address;
import static dev.envelope.app.config.value.Places.httpListen;
import static dev.envelope.app.config.value.Quantities.bytes;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.kafkaName;
import static dev.envelope.app.config.value.Types.oneOf;
import static dev.envelope.app.config.value.Types.secret;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.idempotency.command.Partitioner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings of the gateway, by which callers send commands and read rows. */
public final class GatewayKeys {

    static final Keys KEYS = new Keys(GATEWAY);

    public static final Key<Optional<HostPort>> LISTEN =
            KEYS.add("gateway.listen", httpListen(), "none")
                    .example("127.0.0.1:8090")
                    .means(
                            "The address of the gateway, which puts commands into the topic, answers"
                                    + " with what became of them, and reads rows; none switches it"
                                    + " off. It needs dedupe.id=header:<name> or cloudevents. An"
                                    + " address that other machines reach needs gateway.token or"
                                    + " gateway.tls.client.ca.");

    public static final Key<Secret> TOKEN =
            KEYS.add("gateway.token", secret())
                    .example("${file:/etc/envelope/secrets.properties:gateway}")
                    .is(RELOADABLE)
                    .means(
                            "The token that all callers of the gateway need; at least 16 characters,"
                                    + " and another than http.token.");

    public static final Key<Secret> TOKEN_FORMER =
            KEYS.add("gateway.token.former", secret())
                    .example("${file:/etc/envelope/secrets.properties:gateway-former}")
                    .is(RELOADABLE)
                    .means(
                            "Accepted like gateway.token: the former token, until all callers"
                                    + " have the new one.");

    public static final Key<Path> TLS_CERTIFICATE =
            KEYS.add("gateway.tls.certificate", absoluteFile())
                    .example("/etc/envelope/tls/tls.crt")
                    .means(
                            "The file with the gateway's certificate and those between it and its"
                                    + " root, as PEM. With it the gateway speaks HTTPS only. A new"
                                    + " file is taken within a minute.");

    public static final Key<Path> TLS_KEY =
            KEYS.add("gateway.tls.key", absoluteFile())
                    .example("/etc/envelope/tls/tls.key")
                    .means(
                            "The file with the certificate's private key, as PEM (PKCS #8, BEGIN"
                                    + " PRIVATE KEY).");

    public static final Key<Path> TLS_CLIENT_CA =
            KEYS.add("gateway.tls.client.ca", absoluteFile())
                    .example("/etc/envelope/tls/clients.crt")
                    .means(
                            "The file with the certificates of those who sign callers'"
                                    + " certificates, as PEM. With it each caller must show one"
                                    + " (mutual TLS).");

    public static final Key<String> TOPIC =
            KEYS.add("gateway.topic", kafkaName())
                    .orElse("the topic, where there is one")
                    .example("payments")
                    .means(
                            "The topic that commands are put into, one of topics; required with"
                                    + " more than one topic.");

    public static final Key<Partitioner> PARTITIONER =
            KEYS.add("gateway.partitioner", oneOf(Partitioner.class), "murmur2")
                    .example("crc32")
                    .means(
                            "How the topic's other producers choose a key's partition: murmur2, as"
                                    + " Kafka's own clients do, or crc32, as librdkafka does"
                                    + " (consistent).");

    public static final Key<Integer> MAX_WAITING =
            KEYS.add("gateway.max.waiting", wholeNumber(1, 100_000), "2000")
                    .means(
                            "How many commands, and how many reads, may be without an answer at a"
                                    + " time; others are answered with 503. With store.place.* each"
                                    + " place has an equal share.");

    public static final Key<Long> MAX_BYTES =
            KEYS.add("gateway.max.bytes", bytes("1MiB", "16GiB"), "64MiB")
                    .raiseIf("callers get 503 because of the commands' size")
                    .means(
                            "How much memory commands and answers may take: a fifth each for"
                                    + " bodies that arrive, commands that the brokers have not"
                                    + " acknowledged, the producer's buffer, rows that were read, and"
                                    + " answers that callers have not read. A query whose rows are"
                                    + " larger than a fifth (or 32 MiB) is refused. Others get 503.");

    public static final Key<Long> MAX_BODY =
            KEYS.add("gateway.max.body", bytes("1KiB", "64MiB"), "1MiB")
                    .means(
                            "How large the body of a request may be; larger ones are answered with"
                                    + " 413. Brokers have a limit of their own.");

    public static final Key<Duration> MAX_WAIT =
            KEYS.add("gateway.max.wait", duration("1s", "10m"), "30s")
                    .means("The longest ?wait= that a caller may ask for.");

    /** Where reads are answered from. */
    public enum Read {
        DATABASE,
        OWNER
    }

    public static final Key<Read> READ =
            KEYS.add("gateway.read", oneOf(Read.class), "database")
                    .means(
                            "Where rows are read. database: always there. owner: in the memory of"
                                    + " the process that owns the key's partition, as it was two"
                                    + " seconds ago at the latest; and in the database if it is not"
                                    + " there, or the owner does not answer within 50 ms. A caller"
                                    + " may say it by ?from=.");

    public static final Key<HostPort> ADVERTISE =
            KEYS.add("gateway.advertise", address())
                    .orElse("gateway.listen; this machine's name where that is 0.0.0.0")
                    .example("10.1.2.3:8090")
                    .means(
                            "Where the application's other processes, and callers who ask for the"
                                    + " owner of a key, reach this process's gateway.");

    public static final Key<Duration> REPLIES_RETENTION =
            KEYS.add("gateway.replies.retention", duration("1m", "365d"), "1d")
                    .raiseIf("callers repeat commands after a longer time")
                    .means(
                            "How long the answers to commands are kept; a command that is repeated"
                                    + " later is a new one, unless the row still remembers its id"
                                    + " (dedupe.window.messages).");

    /** Those that mean nothing without the address. */
    public static final List<Key<?>> OF_LISTEN =
            List.of(
                    TOKEN,
                    TOKEN_FORMER,
                    TLS_CERTIFICATE,
                    TLS_KEY,
                    TLS_CLIENT_CA,
                    TOPIC,
                    PARTITIONER,
                    MAX_WAITING,
                    MAX_BYTES,
                    MAX_BODY,
                    MAX_WAIT,
                    READ,
                    ADVERTISE);

    private static final int PARTS = 5;

    /** Of so much memory, as {@link #MAX_BYTES} divides it, a part. */
    public static long part(long maxBytes) {
        return maxBytes / PARTS;
    }

    private GatewayKeys() {}
}
