package dev.envelope.integration.stack.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.proxy.NetworkFault.LoseReply;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
class ProxiedStackTest {

    private static ProxiedStack stack;
    private static Database database;

    @BeforeAll
    static void start() throws SQLException {
        stack = ProxiedStack.start();
        database = stack.postgres().createDatabase("wire");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE word (word text)");
        }
    }

    @AfterEach
    void heal() {
        stack.heal();
    }

    @AfterAll
    static void stop() {
        stack.close();
    }

    @Test
    void clientsOfTheProxiedBrokerNeverLeaveTheProxy() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
            assertThat(admin.describeCluster().nodes().get(20, TimeUnit.SECONDS))
                    .singleElement()
                    .satisfies(node -> assertThat(node.port()).isEqualTo(stack.toBroker().port()));
        }
        assertThat(stack.topics().admin().describeCluster().nodes().get(20, TimeUnit.SECONDS))
                .singleElement()
                .satisfies(node -> assertThat(node.port()).isEqualTo(stack.broker().port()));
    }

    @Test
    void aStatementByItselfIsCommittedThoughItsReplyIsLost() throws SQLException {
        try (Connection connection = stack.throughProxy(database).connect();
                PreparedStatement insert = prepared(connection)) {
            add(insert, "kept");
            stack.toPostgres().inject(new LoseReply(PostgresWire.commits("word")));

            // By now the statement is prepared, so that its text is not sent again.
            assertThatThrownBy(() -> add(insert, "unknown"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
        }
        assertThat(words("kept")).isEqualTo(1);
        assertThat(words("unknown")).isEqualTo(1);
        assertThat(stack.toPostgres().landed(LoseReply.class)).isEqualTo(1);
    }

    @Test
    void ofATransactionItIsTheReplyOfTheCommitThatIsLost() throws SQLException {
        long before = stack.toPostgres().landed(LoseReply.class);
        try (Connection connection = stack.throughProxy(database).connect();
                PreparedStatement insert = prepared(connection)) {
            connection.setAutoCommit(false);
            stack.toPostgres().inject(new LoseReply(PostgresWire.commits("word")));
            add(insert, "first");
            add(insert, "second");
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        assertThat(words("first")).isEqualTo(1);
        assertThat(words("second")).isEqualTo(1);
        assertThat(stack.toPostgres().landed(LoseReply.class)).isEqualTo(before + 1);
    }

    private static PreparedStatement prepared(Connection connection) throws SQLException {
        PreparedStatement insert = connection.prepareStatement("INSERT INTO word VALUES (?)");
        insert.unwrap(org.postgresql.PGStatement.class).setPrepareThreshold(1);
        return insert;
    }

    private static void add(PreparedStatement insert, String word) throws SQLException {
        insert.setString(1, word);
        insert.execute();
    }

    private static int words(String word) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement count =
                        connection.prepareStatement("SELECT count(*) FROM word WHERE word = ?")) {
            count.setString(1, word);
            try (ResultSet row = count.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getInt(1);
            }
        }
    }
}
