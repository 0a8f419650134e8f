package dev.envelope.app.config;

import static dev.envelope.app.config.key.Family.PLACE;
import static dev.envelope.app.config.key.OperationKeys.HTTP_LISTEN;
import static dev.envelope.app.config.key.OperationKeys.HTTP_TOKEN;
import static dev.envelope.app.config.key.OperationKeys.HTTP_TOKEN_FORMER;
import static dev.envelope.app.config.key.ReadKeys.BOOTSTRAP_SERVERS;
import static dev.envelope.app.config.key.StoreKeys.INSECURE_TRANSPORT;
import static dev.envelope.app.config.key.StoreKeys.URL;

import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.JdbcUrl;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.config.value.Types;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reports unencrypted connections to other machines, weak tokens, and logins in URLs. */
final class TransportChecks {

    private static final Set<String> MAY_BE_UNENCRYPTED = Set.of("allow", "prefer");

    private static final int LEAST_TOKEN = 16;

    private final Settings settings;
    private final Findings findings;

    TransportChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check(ProblemCollector problems) {
        settings.find(URL)
                .ifPresent(
                        url -> settings.effective(URL.name()).ifPresent(it -> database(it, url)));
        settings.ofFamily(PLACE).forEach(this::place);
        settings.find(BOOTSTRAP_SERVERS).stream()
                .flatMap(List::stream)
                .filter(server -> !server.isLoopback())
                .findFirst()
                .ifPresent(server -> broker(server, problems));
        tokens();
    }

    private void tokens() {
        for (Key<Secret> token :
                List.of(
                        HTTP_TOKEN,
                        HTTP_TOKEN_FORMER,
                        GatewayKeys.TOKEN,
                        GatewayKeys.TOKEN_FORMER)) {
            if (settings.has(token, it -> it.reveal().length() < LEAST_TOKEN)) {
                findings.conflict(
                        token,
                        "is shorter than " + LEAST_TOKEN + " characters, so others could guess it",
                        "make one with: openssl rand -hex 24");
            }
        }
        if (settings.has(HTTP_LISTEN, TransportChecks::isForOthers)
                && settings.find(HTTP_TOKEN).isEmpty()) {
            findings.error(
                    HTTP_LISTEN,
                    "can be reached by other machines, and http.token is not set",
                    "set http.token, or listen on 127.0.0.1");
        }
    }

    static boolean isForOthers(Optional<HostPort> listen) {
        return listen.filter(address -> !address.isLoopback()).isPresent();
    }

    private void database(Setting setting, JdbcUrl url) {
        for (String name : List.of("user", "password")) {
            if (url.parameter(name).isPresent()) {
                findings.error(
                        setting, "must not hold a " + name, "set store." + name + " instead");
            }
        }
        if (url.isLoopback() || settings.has(INSECURE_TRANSPORT, it -> it)) {
            return;
        }
        String mode = url.parameter("sslmode").orElse("prefer");
        if (mode.equals("disable")) {
            findings.error(
                    setting,
                    "switches encryption off, and the server is another machine",
                    "sslmode=verify-full, or say store.insecure.transport=true");
        } else if (MAY_BE_UNENCRYPTED.contains(mode)) {
            findings.warning(
                    setting,
                    "leaves it to the server whether the connection is encrypted, and does not check"
                            + " who it is",
                    "add sslmode=verify-full (and sslrootcert), or say"
                            + " store.insecure.transport=true");
        }
    }

    private void place(Setting setting) {
        String url = settings.family(PLACE).get(PLACE.restOf(setting.name()));
        if (url != null) {
            try {
                database(setting, Types.jdbcUrl().parse(url));
            } catch (BadValueException e) {
                findings.error(setting, e.reason());
            }
        }
    }

    private void broker(HostPort elsewhere, ProblemCollector problems) {
        Object set = settings.kafka().of(Client.CONSUMER).get("security.protocol");
        String protocol = set == null ? "PLAINTEXT" : set.toString().toUpperCase(Locale.ROOT);
        if (protocol.endsWith("PLAINTEXT")) {
            problems.warning(
                    Stream.of("kafka.consumer.security.protocol", "kafka.security.protocol")
                            .flatMap(name -> settings.effective(name).stream())
                            .map(Setting::origin)
                            .findFirst()
                            .orElseGet(() -> settings.origin(BOOTSTRAP_SERVERS)),
                    "kafka.security.protocol = " + protocol,
                    "messages travel unencrypted to another machine, " + elsewhere,
                    "kafka.security.protocol=SSL or SASL_SSL");
        }
    }
}
