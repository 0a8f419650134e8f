package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The store in memory refuses a state exactly when a real {@code jsonb} does. */
class JsonbAgreementTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "0",
                "-0",
                "-",
                "1.",
                ".5",
                "1e",
                "1e+5",
                "1E-5",
                "00",
                "1e131071",
                "1e131072",
                "0e131072",
                "10e131071",
                "1e-16383",
                "1e-16384",
                "1.5e-16383",
                "0.0e-16384",
                "1e999999999",
                "\"\\u0000\"",
                "\"\\ud800\"",
                "\"\\udc00\"",
                "\"\\ud83d\\ude00\"",
                "\"\\ud83dx\"",
                "\"\\ud83d\\n\"",
                "\"\\ud83d\\ud83d\"",
                "\"\\u00e9\"",
                "\"\\u12\"",
                "\"\\x\"",
                "\"\t\"",
                "\"\u007f\"",
                "{\"a\\u0000\":1}",
                "{\"a\":1,}",
                "{a:1}",
                "[1 2]",
                "tru",
                "true false",
                "nulll",
                " \n1\t",
                "\u00a01",
                "{\"a\":1,\"a\":2}",
                "{\"\":null}",
                "NaN",
                "Infinity",
                "\"\ud83d\ude00\"",
                "{\"a\" : [ true , false , null ] }",
                "[[[[]]]]"
            })
    void agreesWithTheServer(String json) throws SQLException {
        assertThat(inMemory(json)).as(json).isEqualTo(onServer(json));
    }

    private static boolean inMemory(String json) {
        InMemoryDatabase database = new InMemoryDatabase();
        byte[] state = json.getBytes(StandardCharsets.UTF_8);
        try {
            new InMemoryStateStore(database)
                    .save(
                            List.of(new Change("a", 0, state, Marks.NONE, null, 0, List.of())),
                            Patience.WAIT,
                            database.incarnation());
            return true;
        } catch (StoreException.RowFault e) {
            return false;
        }
    }

    private static boolean onServer(String json) throws SQLException {
        try (Connection connection = TestServer.shared().connect();
                PreparedStatement cast = connection.prepareStatement("SELECT ?::jsonb")) {
            cast.setString(1, json);
            cast.executeQuery();
            return true;
        } catch (SQLException e) {
            assertThat(SqlErrors.fault(e)).as(e.getMessage()).isEqualTo(SqlErrors.Fault.ROW);
            return false;
        }
    }
}
