package dev.envelope.app.config;

import static dev.envelope.app.config.key.FailureKeys.ON_FAILURE;
import static dev.envelope.app.config.key.HandlerKeys.HANDLER;
import static dev.envelope.app.config.key.HandlerKeys.HANDLER_TIMEOUT;
import static dev.envelope.app.config.key.LimitKeys.POOL_SIZE;
import static dev.envelope.app.config.key.LimitKeys.POOL_SIZE_BY;
import static dev.envelope.app.config.key.LimitKeys.POOL_SIZE_MAX;
import static dev.envelope.app.config.key.ReadKeys.VALUE_FORMAT;
import static dev.envelope.app.config.key.StoreKeys.CONNECTIONS;
import static dev.envelope.app.config.key.WorkKeys.BATCH_MAX_MESSAGES;
import static dev.envelope.app.config.key.WorkKeys.DEDUPE;
import static dev.envelope.app.config.key.WorkKeys.HTTP_MAX_RATE;
import static dev.envelope.app.config.key.WorkKeys.HTTP_TIMEOUT;
import static dev.envelope.app.config.key.WorkKeys.HTTP_URL;
import static dev.envelope.app.config.key.WorkKeys.MODE;
import static dev.envelope.app.config.key.WorkKeys.ORDERING;

import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys.BuiltInHandler;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.ReadKeys.ValueFormat;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.key.WorkKeys.Dedupe;
import dev.envelope.app.config.key.WorkKeys.Mode;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.key.Ordering;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Finds settings that a handler with rows, or one without, can't do anything with. */
final class WorkChecks {

    private final Settings settings;
    private final Findings findings;

    WorkChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        if (settings.has(MODE, Mode.WORK::equals)) {
            withoutRows();
            if (isDeduped()) {
                deduped();
            }
        } else if (settings.has(MODE, Mode.ROWS::equals)) {
            withRows();
        }
        http();
        latency();
    }

    private void latency() {
        if (!settings.has(POOL_SIZE_BY, it -> it == PoolSizing.LATENCY)) {
            return;
        }
        if (settings.has(MODE, Mode.ROWS::equals)) {
            findings.error(
                    POOL_SIZE_BY,
                    "can't be latency, which is that of calls: rows are saved for many messages at"
                            + " once",
                    "gain, or mode=work");
        } else if (settings.has(BATCH_MAX_MESSAGES, it -> it > 1)) {
            findings.error(
                    POOL_SIZE_BY,
                    "can't be latency where a call has now few messages, now many",
                    BATCH_MAX_MESSAGES,
                    "gain, or leave batch.max.messages out");
        } else if (settings.has(POOL_SIZE_MAX, it -> it <= settings.get(POOL_SIZE))) {
            findings.error(
                    POOL_SIZE_BY,
                    "decides nothing: the pool stays at pool.size",
                    POOL_SIZE_MAX,
                    "set pool.size.max");
        }
    }

    private void withoutRows() {
        Registry.keys().stream()
                .filter(it -> WorkKeys.isIdle(it, isDeduped()) && settings.isSet(it))
                .forEach(it -> findings.error(it, "means nothing where no rows are kept", MODE));
        if (settings.has(
                HANDLER, it -> it.is(BuiltInHandler.FOLD) || it.is(BuiltInHandler.LATEST))) {
            findings.error(
                    HANDLER,
                    "keeps a row for each key",
                    MODE,
                    "name http, or a class that implements Work");
        }
        if (settings.has(ON_FAILURE, FailurePolicy.Last.PARK::equals)) {
            findings.error(
                    ON_FAILURE,
                    "needs rows to set messages aside in",
                    MODE,
                    "dead-letter, or stop");
        }
    }

    private boolean isDeduped() {
        return settings.has(DEDUPE, Dedupe.STORE::equals);
    }

    private void deduped() {
        if (settings.has(HANDLER, it -> it.is(BuiltInHandler.HTTP))) {
            findings.error(
                    DEDUPE,
                    "is for what a handler writes to the database, and handler=http posts: what"
                            + " becomes of that is not known there",
                    HANDLER,
                    "take it out, and let the receiver know messages by their Idempotency-Key");
        }
        if (settings.isSet(CONNECTIONS) && settings.get(CONNECTIONS) < settings.mostWorkers()) {
            findings.doubt(
                    CONNECTIONS,
                    "is less than there are workers (%d): each call has a connection of its own, and the others wait for one"
                            .formatted(settings.mostWorkers()),
                    "leave it out, or lower pool.size");
        } else if (!settings.isSet(CONNECTIONS)) {
            for (Key<Integer> workers : List.of(POOL_SIZE, POOL_SIZE_MAX)) {
                if (settings.has(workers, it -> it > Settings.MOST_CONNECTIONS_UNASKED)) {
                    findings.doubt(
                            workers,
                            "is more than the %d connections that are opened unless store.connections says more: each call has one of its own, and the others wait for one"
                                    .formatted(Settings.MOST_CONNECTIONS_UNASKED),
                            "set store.connections, or lower it");
                }
            }
        }
    }

    private void withRows() {
        if (isDeduped()) {
            findings.error(
                    DEDUPE,
                    "is only for handlers that keep no rows: rows have their marks themselves",
                    "take it out, or add mode=work");
        }
        if (settings.has(HANDLER, it -> it.is(BuiltInHandler.HTTP))) {
            findings.error(HANDLER, "keeps no rows", "add mode=work");
        }
        if (settings.has(ORDERING, it -> it != Ordering.By.KEY)) {
            findings.error(
                    ORDERING,
                    "is only for handlers that keep no rows: a row's messages are in order",
                    "take it out, or add mode=work");
        }
        if (settings.isSet(BATCH_MAX_MESSAGES)) {
            findings.error(
                    BATCH_MAX_MESSAGES,
                    "is only for handlers that keep no rows: a row is written once for all messages"
                            + " that wait",
                    "take it out, or add mode=work");
        }
    }

    private void http() {
        boolean isHttp = settings.has(HANDLER, it -> it.is(BuiltInHandler.HTTP));
        if (!isHttp && settings.find(HANDLER).isPresent()) {
            for (Key<?> key : List.of(HTTP_URL, HTTP_TIMEOUT, HTTP_MAX_RATE)) {
                if (settings.isSet(key)) {
                    findings.error(key, "means nothing without handler=http", HANDLER);
                }
            }
            settings.ofFamily(Family.HTTP_HEADER)
                    .forEach(
                            it ->
                                    findings.error(
                                            it,
                                            "means nothing without handler=http"
                                                    + findings.seen(HANDLER, it.origin())));
        } else if (isHttp) {
            url();
            timeout();
        }
        if (isHttp
                && settings.has(
                        VALUE_FORMAT, it -> it.isOwnClass() || it.is(ValueFormat.DEBEZIUM))) {
            findings.error(
                    VALUE_FORMAT,
                    "is not what handler=http sends: it posts values as they are, and value.format"
                            + " says of which type",
                    HANDLER,
                    "json, string or bytes");
        }
        if (isHttp
                && settings.has(BATCH_MAX_MESSAGES, it -> it > 1)
                && settings.has(VALUE_FORMAT, it -> it.is(ValueFormat.BYTES))) {
            findings.error(
                    VALUE_FORMAT,
                    "can't be part of the JSON arrays that handler=http posts",
                    BATCH_MAX_MESSAGES,
                    "json or string, or leave batch.max.messages out");
        }
    }

    /** Not as a relation of the setting: it concerns nobody with another handler. */
    private void timeout() {
        Optional<Duration> most = settings.find(HANDLER_TIMEOUT);
        if (most.isPresent() && settings.has(HTTP_TIMEOUT, it -> it.compareTo(most.get()) >= 0)) {
            Key<?> at = settings.isSet(HTTP_TIMEOUT) ? HTTP_TIMEOUT : HANDLER_TIMEOUT;
            findings.conflict(
                    at, findings.both(at, HTTP_TIMEOUT, "must be shorter than", HANDLER_TIMEOUT));
        }
    }

    private void url() {
        if (!settings.isSet(HTTP_URL)) {
            findings.error(
                    HANDLER,
                    "does not say where to",
                    "example: " + HTTP_URL.name() + "=" + HTTP_URL.example());
        } else if (settings.has(
                HTTP_URL,
                it ->
                        it.getScheme().equals("http")
                                && !new HostPort(it.getHost(), 80).isLoopback())) {
            findings.doubt(
                    HTTP_URL,
                    "sends values and headers unencrypted to another machine",
                    "https, if that server has it");
        }
    }
}
