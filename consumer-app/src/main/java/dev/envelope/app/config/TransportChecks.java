package dev.envelope.app.config;

import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.JdbcUrl;
import dev.envelope.app.config.value.Secret;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Looks at what travels unencrypted to another machine, and at secrets in URLs.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class TransportChecks {

    private static final Set<String> MAY_BE_UNENCRYPTED = Set.of("allow", "prefer");

    private static final int LEAST_TOKEN = 16;

    private final Settings settings;
    private final ProblemCollector problems;

    TransportChecks(Settings settings, ProblemCollector problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void check() {
        settings.find(StoreKeys.URL).ifPresent(this::database);
        boolean elsewhere =
                settings.find(ReadKeys.BOOTSTRAP_SERVERS).orElse(List.of()).stream()
                        .anyMatch(server -> !server.isLoopback());
        if (elsewhere) {
            brokers();
        }
        callers();
    }

    private void callers() {
        requireLong(OperationKeys.HTTP_TOKEN);
        requireLong(OperationKeys.HTTP_TOKEN_FORMER);
        boolean isForOthers =
                settings.find(OperationKeys.HTTP_LISTEN)
                        .map(it -> it.match(() -> false, address -> !address.isLoopback()))
                        .orElse(false);
        if (isForOthers && settings.find(OperationKeys.HTTP_TOKEN).isEmpty()) {
            problems.error(
                    settings.origin(OperationKeys.HTTP_LISTEN),
                    Visible.subject(
                            OperationKeys.HTTP_LISTEN.name(),
                            settings.effective(OperationKeys.HTTP_LISTEN.name())
                                    .map(Setting::shown)
                                    .orElse("")),
                    "can be reached by other machines, and http.token is not set",
                    "set http.token, or listen on 127.0.0.1");
        }
    }

    private void requireLong(Key<Secret> token) {
        if (settings.find(token).filter(it -> it.reveal().length() < LEAST_TOKEN).isPresent()) {
            problems.error(
                    settings.origin(token),
                    token.name(),
                    "is shorter than " + LEAST_TOKEN + " characters, so others could guess it",
                    "make one with: openssl rand -hex 24");
        }
    }

    private void database(JdbcUrl url) {
        Stream.of("user", "password")
                .filter(name -> url.parameter(name).isPresent())
                .forEach(
                        name -> error("must not hold a " + name, "set store." + name + " instead"));
        boolean insecure = settings.find(StoreKeys.INSECURE_TRANSPORT).orElse(false);
        if (url.isLoopback() || insecure) {
            return;
        }
        String mode = url.parameter("sslmode").orElse("prefer");
        if (mode.equals("disable")) {
            error(
                    "switches encryption off, and the server is another machine",
                    "sslmode=verify-full, or say store.insecure.transport=true");
        } else if (MAY_BE_UNENCRYPTED.contains(mode)) {
            problems.warning(
                    settings.origin(StoreKeys.URL),
                    StoreKeys.URL.name(),
                    "leaves it to the server whether the connection is encrypted, and does not check"
                            + " who it is",
                    "add sslmode=verify-full (and sslrootcert), or say"
                            + " store.insecure.transport=true");
        }
    }

    private void error(String message, String hint) {
        String shown = settings.effective(StoreKeys.URL.name()).map(Setting::shown).orElse("");
        problems.error(
                settings.origin(StoreKeys.URL),
                Visible.subject(StoreKeys.URL.name(), shown),
                message,
                hint);
    }

    private void brokers() {
        Object set = settings.kafka().of(Client.CONSUMER).get("security.protocol");
        String protocol = set == null ? "PLAINTEXT" : set.toString().toUpperCase(Locale.ROOT);
        if (!protocol.endsWith("PLAINTEXT")) {
            return;
        }
        Origin origin =
                Stream.of("kafka.consumer.security.protocol", "kafka.security.protocol")
                        .flatMap(name -> settings.effective(name).stream())
                        .map(Setting::origin)
                        .findFirst()
                        .orElseGet(() -> settings.origin(ReadKeys.BOOTSTRAP_SERVERS));
        String first =
                settings.get(ReadKeys.BOOTSTRAP_SERVERS).stream()
                        .filter(server -> !server.isLoopback())
                        .map(HostPort::toString)
                        .findFirst()
                        .orElse("");
        problems.warning(
                origin,
                "kafka.security.protocol = " + protocol,
                "messages travel unencrypted to another machine, " + first,
                "kafka.security.protocol=SSL or SASL_SSL");
    }
}
