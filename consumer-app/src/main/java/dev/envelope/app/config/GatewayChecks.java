package dev.envelope.app.config;

import static dev.envelope.app.config.key.GatewayKeys.LISTEN;
import static dev.envelope.app.config.key.GatewayKeys.MAX_BODY;
import static dev.envelope.app.config.key.GatewayKeys.MAX_BYTES;
import static dev.envelope.app.config.key.GatewayKeys.REPLIES_RETENTION;
import static dev.envelope.app.config.key.GatewayKeys.TLS_CERTIFICATE;
import static dev.envelope.app.config.key.GatewayKeys.TLS_CLIENT_CA;
import static dev.envelope.app.config.key.GatewayKeys.TLS_KEY;
import static dev.envelope.app.config.key.GatewayKeys.TOKEN;
import static dev.envelope.app.config.key.GatewayKeys.TOKEN_FORMER;
import static dev.envelope.app.config.key.GatewayKeys.TOPIC;
import static dev.envelope.app.config.key.OperationKeys.HTTP_LISTEN;
import static dev.envelope.app.config.key.OperationKeys.HTTP_TOKEN;
import static dev.envelope.app.config.key.OperationKeys.HTTP_TOKEN_FORMER;
import static dev.envelope.app.config.key.ReadKeys.DEDUPE_ID;
import static dev.envelope.app.config.key.ReadKeys.KEY_FORMAT;
import static dev.envelope.app.config.key.ReadKeys.TOPICS;
import static dev.envelope.app.config.key.StoreKeys.DELETED_KEYS_RETENTION;

import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.ReadKeys.KeyFormat;
import dev.envelope.app.config.value.DedupeId;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Finds what a gateway needs and does not have, and where it would not be safe. */
final class GatewayChecks {

    private final Settings settings;
    private final Findings findings;

    GatewayChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        if (settings.has(LISTEN, Optional::isEmpty)) {
            GatewayKeys.OF_LISTEN.stream()
                    .filter(settings::isSet)
                    .forEach(
                            it ->
                                    findings.warning(
                                            it,
                                            "means nothing without gateway.listen",
                                            "example: gateway.listen=" + LISTEN.example()));
        }
        settings.find(LISTEN).flatMap(it -> it).ifPresent(this::check);
    }

    private void check(HostPort address) {
        ids();
        keys();
        topic();
        port(address);
        callers(address);
        encryption();
        sizes();
        answers();
    }

    private void ids() {
        if (settings.has(DEDUPE_ID, it -> !isInAHeader(it))) {
            findings.error(
                    LISTEN,
                    "needs event ids in a header: without them, an event that comes as a command and"
                            + " by another way, too, would be applied twice",
                    DEDUPE_ID,
                    "dedupe.id=header:<name>, or cloudevents");
        }
    }

    private static boolean isInAHeader(DedupeId id) {
        return id instanceof DedupeId.Header || id instanceof DedupeId.CloudEvents;
    }

    private void keys() {
        if (settings.has(KEY_FORMAT, it -> it.isOwnClass() || it.is(KeyFormat.DEBEZIUM))) {
            findings.error(
                    LISTEN,
                    "can't make a record's key of the key in an address",
                    KEY_FORMAT,
                    "it can with string, uuid, long, int and base64");
        }
    }

    private void topic() {
        List<String> topics = settings.find(TOPICS).orElse(List.of());
        if (settings.has(TOPIC, it -> !topics.isEmpty() && !topics.contains(it))) {
            findings.error(TOPIC, "is not read", TOPICS, "name one of topics");
        } else if (topics.size() > 1 && !settings.isSet(TOPIC)) {
            findings.error(
                    LISTEN,
                    "does not say which of several topics commands are put into",
                    TOPICS,
                    "gateway.topic=" + topics.get(0));
        }
    }

    private void port(HostPort address) {
        boolean isTaken =
                settings.has(
                        HTTP_LISTEN, it -> it.filter(other -> isSame(address, other)).isPresent());
        if (isTaken) {
            findings.error(
                    LISTEN,
                    "is the port of the page and the operators' API",
                    HTTP_LISTEN,
                    "take another port");
        }
    }

    private static boolean isSame(HostPort one, HostPort other) {
        return one.port() != 0 && one.port() == other.port();
    }

    private void callers(HostPort address) {
        boolean isForOthers = TransportChecks.isForOthers(Optional.of(address));
        if (isForOthers && !settings.isSet(TOKEN) && !settings.isSet(TLS_CLIENT_CA)) {
            findings.error(
                    LISTEN,
                    "can be reached by other machines, and neither gateway.token nor"
                            + " gateway.tls.client.ca is set",
                    "set one of them, or listen on 127.0.0.1");
        } else if (isForOthers && !settings.isSet(TLS_CERTIFICATE)) {
            findings.doubt(
                    LISTEN,
                    "can be reached by other machines, and tokens and values travel unencrypted",
                    "set gateway.tls.certificate and gateway.tls.key, or listen on 127.0.0.1"
                            + " behind a proxy that encrypts");
        }
        for (Key<Secret> its : List.of(TOKEN, TOKEN_FORMER)) {
            for (Key<Secret> operators : List.of(HTTP_TOKEN, HTTP_TOKEN_FORMER)) {
                if (settings.has(its, it -> settings.has(operators, it::equals))) {
                    findings.conflict(
                            its,
                            "is the same as "
                                    + operators.name()
                                    + ", so callers of the gateway could change the process",
                            "make one with: openssl rand -hex 24");
                }
            }
        }
    }

    private void encryption() {
        needs(TLS_CERTIFICATE, TLS_KEY);
        needs(TLS_KEY, TLS_CERTIFICATE);
        needs(TLS_CLIENT_CA, TLS_CERTIFICATE);
        for (Key<Path> file : List.of(TLS_CERTIFICATE, TLS_KEY, TLS_CLIENT_CA)) {
            if (settings.has(file, it -> !Files.isReadable(it))) {
                findings.error(file, "can't be read");
            }
        }
    }

    private void needs(Key<?> key, Key<?> other) {
        if (settings.isSet(key) && !settings.isSet(other)) {
            findings.error(key, "is set without " + other.name());
        }
    }

    /** A command must not outlive the row that knows whether it was applied. */
    private void answers() {
        Optional<Duration> rows = settings.find(DELETED_KEYS_RETENTION);
        if (rows.isPresent()
                && settings.has(REPLIES_RETENTION, it -> it.compareTo(rows.get()) > 0)) {
            Key<?> at =
                    settings.isSet(REPLIES_RETENTION) ? REPLIES_RETENTION : DELETED_KEYS_RETENTION;
            findings.conflict(
                    at,
                    findings.both(
                                    at,
                                    REPLIES_RETENTION,
                                    "must not be longer than",
                                    DELETED_KEYS_RETENTION)
                            + ": a command that comes again after its key was deleted would be"
                            + " applied again");
        }
    }

    private void sizes() {
        long part = GatewayKeys.part(settings.find(MAX_BYTES).orElse(Long.MAX_VALUE));
        if (settings.has(MAX_BODY, it -> it > part)) {
            Key<?> at = settings.isSet(MAX_BODY) ? MAX_BODY : MAX_BYTES;
            findings.conflict(
                    at, findings.both(at, MAX_BODY, "must be at most a fifth of", MAX_BYTES));
        }
    }
}
