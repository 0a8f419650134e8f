package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.OPERATIONS;
import static dev.envelope.app.config.key.Group.SETTINGS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
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
                            "The name of this process in status, log, the table parked and"
                                    + " the database's list of sessions. Each process of an"
                                    + " application needs its own: a start with the name of a running"
                                    + " one is refused.");

    public static final Key<Optional<HostPort>> HTTP_LISTEN =
            KEYS.add("http.listen", httpListen(), "127.0.0.1:8080")
                    .example("none")
                    .means(
                            "The address of the page, the API, /livez, /readyz and"
                                    + " /metrics; port 0 takes a free one, none switches them off. An"
                                    + " address that other machines reach needs http.token.");

    public static final Key<Secret> HTTP_TOKEN =
            KEYS.add("http.token", secret())
                    .example("${file:/etc/envelope/secrets.properties:http}")
                    .is(RELOADABLE)
                    .means(
                            "The token that callers need to change anything over HTTP and,"
                                    + " from other machines, to read; at least 16 characters. Without"
                                    + " it nothing can be changed over HTTP.");

    public static final Key<Secret> HTTP_TOKEN_FORMER =
            KEYS.add("http.token.former", secret())
                    .example("${file:/etc/envelope/secrets.properties:http-former}")
                    .is(RELOADABLE)
                    .means(
                            "Accepted like http.token: the former token, until all callers"
                                    + " have the new one.");

    public static final Key<Integer> READY_MAX_FROZEN_KEYS =
            KEYS.add("ready.max.frozen.keys", wholeNumber(0, 1_000_000_000))
                    .example("100")
                    .is(OF_ROWS)
                    .means(
                            "With more keys frozen by parked messages in the partitions of"
                                    + " this process, /readyz reports it as not ready. Without it that"
                                    + " is only logged, and the process stays ready.");

    public static final Key<Duration> START_TIMEOUT =
            KEYS.add("start.timeout", duration("1s", "1h"), "30s")
                    .means(
                            "How long a start waits for the broker and the database before it gives"
                                    + " up.");

    public static final Key<Boolean> START_PREPARE =
            KEYS.add("start.prepare", flag(), "true")
                    .example("false")
                    .means(
                            "Whether a run from the unpacked archive does what envelope"
                                    + " prepare does, so that later starts are quicker: once, in a"
                                    + " process of lowest priority, after 30 s without work and with 1"
                                    + " GiB of free memory. Nothing is done if lib can't be written"
                                    + " to.");

    public static final Key<Duration> SHUTDOWN_DRAIN_TIMEOUT =
            KEYS.add("shutdown.drain.timeout", duration("1s", "1h"), "20s")
                    .raiseIf("a stop leaves work behind")
                    .lowerIf("whoever stops the process waits for less than this")
                    .means(
                            "How long a stop continues to save what has been fetched; keep"
                                    + " it below the time after which the process is killed.");

    public static final Key<Duration> REVOKE_DRAIN_TIMEOUT =
            KEYS.add("revoke.drain.timeout", duration("100ms", "30s"), "2500ms")
                    .means(
                            "How long a rebalance waits for the saves and commits of"
                                    + " revoked partitions.");

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
                    .means("Whether log lines are for people or for machines.");

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
