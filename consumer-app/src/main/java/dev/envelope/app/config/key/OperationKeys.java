package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.OPERATIONS;
import static dev.envelope.app.config.key.Group.SETTINGS;
import static dev.envelope.app.config.key.Key.Trait.RELOADABLE;
import static dev.envelope.app.config.value.Places.httpListen;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.flag;
import static dev.envelope.app.config.value.Types.kafkaName;
import static dev.envelope.app.config.value.Types.oneOf;
import static dev.envelope.app.config.value.Types.secret;
import static dev.envelope.app.config.value.Types.texts;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings that say how the process is run, and how settings are read. */
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

    static final Keys KEYS = new Keys(OPERATIONS);
    static final Keys OF_SETTINGS = new Keys(SETTINGS);

    public static final Key<String> INSTANCE_NAME =
            KEYS.add("instance.name", kafkaName())
                    .orElse("the machine's name, the process's number and six letters")
                    .example("consumer-1")
                    .means(
                            "What this process is called in status, log, the table parked and the"
                                    + " database's session list. Each process of an application"
                                    + " wants its own: a start under the name of one that runs is"
                                    + " refused.");

    public static final Key<Optional<HostPort>> HTTP_LISTEN =
            KEYS.add("http.listen", httpListen(), "127.0.0.1:8080")
                    .example("none")
                    .means(
                            "Where the page, the API, /livez, /readyz and /metrics are served; port"
                                    + " 0 takes a free one, none switches them off. An address that"
                                    + " others reach wants http.token.");

    public static final Key<Secret> HTTP_TOKEN =
            KEYS.add("http.token", secret())
                    .example("${file:/etc/envelope/secrets.properties:http}")
                    .is(RELOADABLE)
                    .means(
                            "What a caller has to know to change anything over HTTP and, beyond"
                                    + " this machine, to read; at least 16 characters. Without it"
                                    + " nothing can be changed over HTTP.");

    public static final Key<Secret> HTTP_TOKEN_FORMER =
            KEYS.add("http.token.former", secret())
                    .example("${file:/etc/envelope/secrets.properties:http-former}")
                    .is(RELOADABLE)
                    .means(
                            "Is as good as http.token: the one before it, until all who ask have"
                                    + " the new one.");

    public static final Key<Integer> READY_MAX_FROZEN_KEYS =
            KEYS.add("ready.max.frozen.keys", wholeNumber(0, 1_000_000_000))
                    .example("100")
                    .means(
                            "With more keys frozen by parked messages, of the partitions of this"
                                    + " process, /readyz says that it is not ready. Without it that"
                                    + " is told loudly, and the process stays ready.");

    public static final Key<Duration> START_TIMEOUT =
            KEYS.add("start.timeout", duration("1s", "1h"), "30s")
                    .means(
                            "How long a start waits for the broker and the database before it gives"
                                    + " up.");

    public static final Key<Boolean> START_PREPARE =
            KEYS.add("start.prepare", flag(), "true")
                    .example("false")
                    .means(
                            "Whether a run from the unpacked archive does what envelope prepare"
                                    + " does, so that later starts are quicker: once, by a process"
                                    + " of lowest priority, after it has been idle for 30 s with 1"
                                    + " GiB of memory free. Where lib can't be written to, nothing"
                                    + " is done.");

    public static final Key<Duration> SHUTDOWN_DRAIN_TIMEOUT =
            KEYS.add("shutdown.drain.timeout", duration("1s", "1h"), "20s")
                    .raiseIf("a stop leaves work behind")
                    .lowerIf("whoever stops the process waits for less than this")
                    .means(
                            "How long a stop goes on saving what has been fetched; keep it below"
                                    + " the time after which the process is killed.");

    public static final Key<Duration> REVOKE_DRAIN_TIMEOUT =
            KEYS.add("revoke.drain.timeout", duration("100ms", "30s"), "2500ms")
                    .means(
                            "How long a rebalance waits for the saves and commits of the partitions"
                                    + " that are given away.");

    public static final Key<LogLevel> LOG_LEVEL =
            KEYS.add("log.level", oneOf(LogLevel.class), "info")
                    .is(RELOADABLE)
                    .means("How much is logged.");

    /** The format of log lines. */
    public enum LogFormat {
        /** For people. */
        TEXT,
        /** One object a line, for machines. */
        JSON
    }

    public static final Key<LogFormat> LOG_FORMAT =
            KEYS.add("log.format", oneOf(LogFormat.class), "text")
                    .example("json")
                    .means("Whether lines of log are for people or for machines.");

    public static final Key<List<String>> CONFIG_INCLUDE =
            OF_SETTINGS
                    .add("config.include", texts("list of files"))
                    .example("shared.properties")
                    .means(
                            "Files whose settings hold where this file does not set them itself; a"
                                    + " relative path starts at this file.");

    public static final Key<Boolean> STRICT_SECRETS =
            OF_SETTINGS
                    .add("config.strict.secrets", flag(), "false")
                    .example("true")
                    .means(
                            "Whether a secret that is written out instead of referred to keeps the"
                                    + " process from starting.");

    private OperationKeys() {}
}
