package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.cluster.RowLock;
import dev.envelope.integration.cluster.Sessions;
import dev.envelope.integration.oracle.Schema;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalBroker;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.Server;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.PostgresWire;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The servers of a run, in a way that lets everything about them break; the password of every
 * database's owner is the canary.
 *
 * <p>Threads: thread-safe (the stack is; the choice is volatile, and the conductor's).
 */
final class Grounds implements Servers, AutoCloseable {

    /** The most frequent ones: enough that each process has some of them. */
    private static final List<String> HOT_KEYS =
            IntStream.range(0, 16).mapToObj(number -> "key-" + number).toList();

    private final ProxiedStack stack;
    private final Canaries canaries;
    private final List<DatabaseServer> databases = new ArrayList<>();
    private volatile int struck; // the one that faults strike next

    /** A database server, and the network before it. */
    private record DatabaseServer(LocalPostgres server, FaultProxy network) {}

    private Grounds(ProxiedStack stack, Canaries canaries) {
        this.stack = stack;
        this.canaries = canaries;
        databases.add(new DatabaseServer(stack.postgres(), stack.toPostgres()));
    }

    /**
     * Starts everything.
     *
     * @param places how many database servers there are
     */
    static Grounds open(Canaries canaries, int places) {
        Grounds grounds = new Grounds(ProxiedStack.start(), canaries);
        try {
            for (int place = 1; place < places; place++) {
                grounds.addServer("postgres-" + place);
            }
        } catch (RuntimeException e) {
            grounds.close();
            throw e;
        }
        return grounds;
    }

    private void addServer(String its) {
        LocalPostgres server = new LocalPostgres(workspace(), its, Map.of());
        server.start();
        databases.add(
                new DatabaseServer(
                        server, FaultProxy.start(its, server.port(), new PostgresWire())));
    }

    /** Chooses the database server that the next fault is about. */
    void choose(Random chance) {
        struck = databases.size() == 1 ? 0 : chance.nextInt(databases.size());
    }

    LocalBroker broker() {
        return stack.broker();
    }

    LocalPostgres postgres() {
        return databases.get(struck).server();
    }

    FaultProxy toBroker() {
        return stack.toBroker();
    }

    FaultProxy toPostgres() {
        return databases.get(struck).network();
    }

    /** Where the processes find the broker: through the network that fails. */
    @Override
    public String bootstrapServers() {
        return stack.bootstrapServers();
    }

    /** Where everybody else finds it. */
    String directBootstrapServers() {
        return stack.direct().bootstrapServers();
    }

    @Override
    public Topics topics() {
        return stack.topics();
    }

    @Override
    public Workspace workspace() {
        return stack.direct().workspace();
    }

    /** Found through the network that fails. */
    @Override
    public Database createDatabase(String wanted) {
        return createDatabase(databases.get(0), wanted);
    }

    @Override
    public List<Database> createDatabases(String wanted) {
        return databases.stream().map(at -> createDatabase(at, wanted)).toList();
    }

    private Database createDatabase(DatabaseServer at, String wanted) {
        Database created = at.server().createDatabase(wanted);
        try (Connection connection = at.server().superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET log_min_error_statement = panic");
            statement.execute(
                    "ALTER ROLE " + wanted + " PASSWORD '" + canaries.storePassword() + "'");
        } catch (SQLException e) {
            throw new IllegalStateException("no password for " + wanted, e);
        }
        return new Database(created.url(), created.user(), canaries.storePassword())
                .at(at.network().port());
    }

    /** The same tables, past whatever lies between the application and them. */
    Schema direct(Schema slot) {
        int port = slot.database().port();
        DatabaseServer its =
                databases.stream()
                        .filter(at -> at.network().port() == port)
                        .findAny()
                        .orElseThrow();
        return new Schema(slot.database().at(its.server().port()), slot.name());
    }

    /** Does something while a session outside holds the rows of some busy keys. */
    boolean whileRowsAreLocked(Schema slot, BooleanSupplier action) {
        return RowLock.during(slot.database(), slot.name(), HOT_KEYS, action);
    }

    /** Whether it was caught there; it is frozen then. */
    boolean freezeInTransaction(ConsumerProcess process, Schema slot, Sessions sessions) {
        return sessions.freezeInTransaction(process, slot.database(), slot.name(), HOT_KEYS);
    }

    /** One of the schemas that the chosen server has. */
    Schema chosen(List<Schema> slots) {
        return slots.stream()
                .map(this::direct)
                .filter(slot -> slot.database().port() == postgres().port())
                .findFirst()
                .orElseThrow();
    }

    Sessions sessions() {
        return Sessions.open(postgres().superuser());
    }

    /** How many connections all database servers have from a process. */
    int connections(ConsumerProcess process) {
        int open = 0;
        for (DatabaseServer each : databases) {
            try (Sessions sessions = Sessions.open(each.server().superuser())) {
                open += sessions.open(process);
            }
        }
        return open;
    }

    /** Whatever was broken is whole afterwards. */
    void mend() {
        stack.heal();
        List<Server> servers = new ArrayList<>(List.of(stack.broker()));
        for (DatabaseServer each : databases) {
            each.network().heal();
            servers.add(each.server());
        }
        for (Server server : servers) {
            server.resume();
            if (!server.process().isAlive()) {
                server.start();
            }
        }
    }

    @Override
    public void close() {
        databases.stream().skip(1).forEach(each -> each.network().close());
        stack.close(); // with its workspace, and all processes there
    }
}
