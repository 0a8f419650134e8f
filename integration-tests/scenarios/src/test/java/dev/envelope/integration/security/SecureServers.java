package dev.envelope.integration.security;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalBroker;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.awaitility.Awaitility;

/**
 * A broker that denies what is not allowed, behind TLS and SCRAM or tokens, and a Postgres with
 * TLS, SCRAM and two roles. The broker's plain listener is for the tests alone.
 *
 * <p>Threads: one thread.
 */
final class SecureServers implements AutoCloseable {

    /** The ways into the broker that differ by who it says it is. */
    enum Listener {
        TRUSTED,
        OTHERHOST,
        EXPIRED,
        /** Is as trusted, and lets in by a token. */
        TOKENS;

        private final int port = Ports.free();

        String address() {
            return "localhost:" + port;
        }
    }

    /** Words that must be seen nowhere. */
    static final String KAFKA_CANARY = "canary-kafka-kr8Zq";

    static final String WORKER_CANARY = "canary-worker-p3Vyt";
    static final String OWNER_CANARY = "canary-owner-9dLmw";

    private final CertificateAuthority authority = new CertificateAuthority();
    private final TokenServer tokens = new TokenServer();
    private final Workspace workspace = Workspace.open();
    private final Path trust;
    private final Path secrets;
    private final LocalBroker broker;
    private final LocalPostgres postgres;
    private final Topics topics;

    SecureServers() {
        trust = write("trust.pem", authority.certificate());
        secrets =
                write(
                        "secrets.properties",
                        "kafka=%s\nworker=%s\nowner=%s\n"
                                .formatted(KAFKA_CANARY, WORKER_CANARY, OWNER_CANARY));
        ownerOnly(secrets);
        broker = new LocalBroker(workspace, brokerSettings());
        postgres = new LocalPostgres(workspace, Map.of("log_connections", "on"));
        CompletableFuture<Void> other = CompletableFuture.runAsync(postgres::start);
        broker.start();
        other.join();
        identify(authority.localhost());
        topics = new Topics(broker.bootstrapServers());
    }

    private static void ownerOnly(Path file) {
        try {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> brokerSettings() {
        Map<String, String> settings = new HashMap<>();
        StringBuilder listeners = new StringBuilder();
        StringBuilder protocols = new StringBuilder();
        for (Listener listener : Listener.values()) {
            listeners.append(",").append(listener).append("://").append(listener.address());
            protocols.append(",").append(listener).append(":SASL_SSL");
            CertificateAuthority.Identity identity =
                    switch (listener) {
                        case TRUSTED, TOKENS -> authority.localhost();
                        case OTHERHOST -> authority.otherHost();
                        case EXPIRED -> authority.expiredLocalhost();
                    };
            String name = listener.name().toLowerCase(Locale.ROOT);
            String prefix = "listener.name." + name + ".";
            Path store = write(name + ".pem", identity.key() + identity.certificate());
            settings.put(prefix + "ssl.keystore.type", "PEM");
            settings.put(prefix + "ssl.keystore.location", store.toString());
            settings.put(prefix + "sasl.enabled.mechanisms", "SCRAM-SHA-512");
            settings.put(
                    prefix + "scram-sha-512.sasl.jaas.config",
                    "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        }
        settings.putAll(tokenSettings());
        settings.put("listeners", listeners.toString());
        settings.put("listener.security.protocol.map", protocols.toString());
        settings.put(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("super.users", "User:ANONYMOUS"); // who comes by the plain listener
        return settings;
    }

    private Map<String, String> tokenSettings() {
        String prefix = "listener.name.tokens.";
        String tokens = "org.apache.kafka.common.security.oauthbearer.OAuthBearer";
        return Map.of(
                prefix + "sasl.enabled.mechanisms",
                "OAUTHBEARER",
                prefix + "oauthbearer.sasl.jaas.config",
                tokens + "LoginModule required;",
                prefix + "oauthbearer.sasl.server.callback.handler.class",
                tokens + "ValidatorCallbackHandler",
                "sasl.oauthbearer.jwks.endpoint.url",
                write(LocalBroker.TOKEN_KEYS, tokens().jwks()).toUri().toString());
    }

    TokenServer tokens() {
        return tokens;
    }

    Workspace workspace() {
        return workspace;
    }

    LocalBroker broker() {
        return broker;
    }

    LocalPostgres postgres() {
        return postgres;
    }

    Topics topics() {
        return topics;
    }

    /** What clients trust, as PEM. */
    Path trust() {
        return trust;
    }

    /** Trust in another authority. */
    Path otherTrust() {
        return write("other.pem", new CertificateAuthority().certificate());
    }

    /**
     * Everything that an application needs: user, roles, database, topic, and in the broker the
     * rights that the documents name.
     */
    void admit(String application) {
        topics.create(application, 2);
        kafkaUser(application);
        allow(application, ResourceType.TOPIC, AclOperation.READ);
        allow(application, ResourceType.GROUP, AclOperation.READ);
        Database owner = postgres.createDatabase(application);
        postgres.createRole(worker(application), owner);
        execute("ALTER ROLE " + application + " PASSWORD '" + OWNER_CANARY + "'");
        execute("ALTER ROLE " + worker(application) + " PASSWORD '" + WORKER_CANARY + "'");
    }

    static String worker(String application) {
        return application + "_worker";
    }

    private void kafkaUser(String name) {
        await(
                () ->
                        topics.admin()
                                .alterUserScramCredentials(
                                        List.of(
                                                new UserScramCredentialUpsertion(
                                                        name,
                                                        new ScramCredentialInfo(
                                                                ScramMechanism.SCRAM_SHA_512, 4096),
                                                        KAFKA_CANARY)))
                                .all()
                                .get());
    }

    void allow(String user, ResourceType type, AclOperation operation) {
        AclBinding right = right(user, type, operation);
        await(() -> topics.admin().createAcls(List.of(right)).all().get());
    }

    void forbid(String user, ResourceType type, AclOperation operation) {
        AclBinding right = right(user, type, operation);
        await(() -> topics.admin().deleteAcls(List.of(right.toFilter())).all().get());
    }

    private static AclBinding right(String user, ResourceType type, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, user, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
    }

    /** Lets Postgres speak TLS as this server; connections that are open stay as they are. */
    void identify(CertificateAuthority.Identity identity) {
        copy("server.key", identity.key());
        copy("server.crt", identity.certificate());
        execute("ALTER SYSTEM SET ssl = on");
        String before = query("SELECT clock_timestamp()");
        execute("SELECT pg_reload_conf()");
        Awaitility.await()
                .until(() -> query("SELECT pg_conf_load_time() > '" + before + "'").equals("t"));
    }

    CertificateAuthority authority() {
        return authority;
    }

    /** By the server itself, so that the file is its own and nobody else's. */
    private void copy(String file, String text) {
        execute(
                "COPY (SELECT unnest(string_to_array(trim(E'"
                        + text.replace("\n", "\\n")
                        + "', E'\\n'), E'\\n'))) TO PROGRAM 'umask 077 && cat > "
                        + file
                        + "'");
    }

    void execute(String sql) {
        try (Connection connection = postgres.superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The first value of the first row, asked on a new connection of the superuser. */
    String query(String sql) {
        try (Connection connection = postgres.superuser().connect()) {
            return query(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Where the application's database is, for somebody who wants to know whom he talks to. */
    String url(String application, Path trusted) {
        return "jdbc:postgresql://localhost:"
                + postgres.port()
                + "/"
                + application
                + "?sslmode=verify-full&channelBinding=require&sslrootcert="
                + trusted;
    }

    /** The worker's own connection. */
    Connection asWorker(String application) throws SQLException {
        return DriverManager.getConnection(
                url(application, trust), worker(application), WORKER_CANARY);
    }

    /** A file of settings that say no secret, but where each is to be found. */
    List<String> settings(String application, Listener listener) {
        return List.of(
                "application.id=" + application,
                "bootstrap.servers=" + listener.address(),
                "topics=" + application,
                "handler=fold",
                "handler.fold.n=count()",
                "handler.fold.sum=sum(/amount)",
                "kafka.security.protocol=SASL_SSL",
                "kafka.ssl.truststore.type=PEM",
                "kafka.ssl.truststore.location=" + trust,
                "kafka.sasl.mechanism=SCRAM-SHA-512",
                "kafka.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule"
                        + (" required username=\"" + application + "\" password=\"")
                        + ("${file:" + secrets + ":kafka}\";"),
                "store.url=" + url(application, trust),
                "store.user=" + worker(application),
                "store.password=${file:" + secrets + ":worker}",
                "store.migrator.user=" + application,
                "store.migrator.password=${file:" + secrets + ":owner}",
                "http.listen=127.0.0.1:0");
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(workspace.folder().resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Asked {
        Object get() throws ExecutionException, InterruptedException;
    }

    private static void await(Asked asked) {
        try {
            var unused = asked.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        topics.close();
        tokens.close();
        workspace.close();
    }
}
