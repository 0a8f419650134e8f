package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.OPERATIONS;
import static dev.envelope.app.config.key.Group.SETTINGS;

import dev.envelope.app.config.value.HttpListen;
import dev.envelope.app.config.value.Places;
import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.config.value.Types;
import java.time.Duration;
import java.util.List;

/**
 * The settings that say how the process is run, and how settings are read.
 *
 * <p>Threads: stateless.
 */
public final class OperationKeys {

    /** How much is logged. */
    public enum LogLevel {
        /** Every message. */
        TRACE,
        /** Every step. */
        DEBUG,
        /** What an operator cares about. */
        INFO,
        /** What an operator should look at. */
        WARN,
        /** What has gone wrong. */
        ERROR
    }

    public static final Key<String> INSTANCE_NAME =
            Key.named("instance.name", Types.kafkaName())
                    .orElseDerived("the machine's name, the process's number and six letters")
                    .example("consumer-1")
                    .means(
                            OPERATIONS,
                            "What this process is called in status, log, the table parked and the"
                                    + " database's session list. Each process of an application wants"
                                    + " its own: a start under the name of one that runs is refused.");

    public static final Key<HttpListen> HTTP_LISTEN =
            Key.named("http.listen", Places.httpListen())
                    .orElse("127.0.0.1:8080")
                    .example("none")
                    .means(
                            OPERATIONS,
                            "Where the page, the API, /livez, /readyz and /metrics are served; port 0"
                                    + " takes a free one, none switches them off. An address that"
                                    + " others reach wants http.token.");

    public static final Key<Secret> HTTP_TOKEN =
            Key.named("http.token", Types.secret())
                    .reloadable()
                    .example("${file:/etc/envelope/secrets.properties:http}")
                    .means(
                            OPERATIONS,
                            "What a caller has to know to change anything over HTTP and, beyond this"
                                    + " machine, to read; at least 16 characters. Without it nothing"
                                    + " can be changed over HTTP.");

    public static final Key<Secret> HTTP_TOKEN_FORMER =
            Key.named("http.token.former", Types.secret())
                    .reloadable()
                    .example("${file:/etc/envelope/secrets.properties:http-former}")
                    .means(
                            OPERATIONS,
                            "Is as good as http.token: the one before it, until all who ask have the"
                                    + " new one.");

    public static final Key<Integer> READY_MAX_FROZEN_KEYS =
            Key.named("ready.max.frozen.keys", Quantities.wholeNumber(0, 1_000_000_000))
                    .example("100")
                    .means(
                            OPERATIONS,
                            "With more keys frozen by parked messages, of the partitions of this"
                                    + " process, /readyz says that it is not ready. Without it that"
                                    + " is told loudly, and the process stays ready.");

    public static final Key<Duration> START_TIMEOUT =
            Key.named("start.timeout", Quantities.duration("1s", "1h"))
                    .orElse("30s")
                    .means(
                            OPERATIONS,
                            "How long a start waits for the broker and the database before it gives"
                                    + " up.");

    public static final Key<Boolean> START_PREPARE =
            Key.named("start.prepare", Types.flag())
                    .orElse("true")
                    .example("false")
                    .means(
                            OPERATIONS,
                            "Whether a run from the unpacked archive does what envelope prepare does,"
                                    + " so that later starts are quicker: once, by a process of lowest"
                                    + " priority, after it has been idle for 30 s with 1 GiB of memory"
                                    + " free. Where lib can't be written to, nothing is done.");

    public static final Key<Duration> SHUTDOWN_DRAIN_TIMEOUT =
            Key.named("shutdown.drain.timeout", Quantities.duration("1s", "1h"))
                    .orElse("20s")
                    .raiseIf("a stop leaves work behind")
                    .lowerIf("whoever stops the process waits for less than this")
                    .means(
                            OPERATIONS,
                            "How long a stop goes on saving what has been fetched; keep it below"
                                    + " the time after which the process is killed.");

    public static final Key<Duration> REVOKE_DRAIN_TIMEOUT =
            Key.named("revoke.drain.timeout", Quantities.duration("100ms", "30s"))
                    .orElse("2500ms")
                    .means(
                            OPERATIONS,
                            "How long a rebalance waits for the saves and commits of the partitions"
                                    + " that are given away.");

    public static final Key<LogLevel> LOG_LEVEL =
            Key.named("log.level", Types.oneOf(LogLevel.class))
                    .orElse("info")
                    .reloadable()
                    .means(OPERATIONS, "How much is logged.");

    /** How a line of log is laid out. */
    public enum LogFormat {
        /** For people. */
        TEXT,
        /** One object a line, for machines. */
        JSON
    }

    public static final Key<LogFormat> LOG_FORMAT =
            Key.named("log.format", Types.oneOf(LogFormat.class))
                    .orElse("text")
                    .example("json")
                    .means(OPERATIONS, "Whether lines of log are for people or for machines.");

    public static final Key<List<String>> CONFIG_INCLUDE =
            Key.named("config.include", Types.texts("list of files"))
                    .example("shared.properties")
                    .means(
                            SETTINGS,
                            "Files whose settings hold where this file does not set them itself; a"
                                    + " relative path starts at this file.");

    public static final Key<Boolean> STRICT_SECRETS =
            Key.named("config.strict.secrets", Types.flag())
                    .orElse("false")
                    .example("true")
                    .means(
                            SETTINGS,
                            "Whether a secret that is written out instead of referred to keeps the"
                                    + " process from starting.");

    static final List<Key<?>> ALL =
            List.of(
                    INSTANCE_NAME,
                    HTTP_LISTEN,
                    HTTP_TOKEN,
                    HTTP_TOKEN_FORMER,
                    READY_MAX_FROZEN_KEYS,
                    START_TIMEOUT,
                    START_PREPARE,
                    SHUTDOWN_DRAIN_TIMEOUT,
                    REVOKE_DRAIN_TIMEOUT,
                    LOG_LEVEL,
                    LOG_FORMAT,
                    CONFIG_INCLUDE,
                    STRICT_SECRETS);

    private OperationKeys() {}
}
