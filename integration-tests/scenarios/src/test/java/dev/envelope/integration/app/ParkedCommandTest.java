package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an operator types when messages have failed for the last time. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class ParkedCommandTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private record Said(int code, String words) {}

    private static Said envelope(String... arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(
                List.of("-c", stack.workspace().folder().resolve("parking.properties").toString()));
        int code =
                EnvelopeCommand.on(new Terminal(writer, writer))
                        .execute(all.toArray(String[]::new));
        return new Said(code, words.toString());
    }

    private static RunningApp run(Database database) {
        return RunningApp.start(
                stack.workspace(), "parking", Applications.settings(stack, "parking", database));
    }

    private static void produce(@Nullable String key, String... values) {
        Applications.produceOf(stack, "parking", key, values);
    }

    /** State and number of parked messages. */
    private static String row(Database database, String key) {
        String sql = "SELECT state::jsonb, parked FROM parking.state WHERE key = '" + key + "'";
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) + " " + row.getInt(2) : "none";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFailedMessageIsSeenSkippedAndRedriven() {
        stack.topics().create("parking", 1);
        Database database = stack.postgres().createDatabase("parking");
        RunningApp app = run(database);
        app.awaitReady();
        assertThat(envelope("parked", "list")).isEqualTo(new Said(0, "nothing is parked\n"));

        produce("a", "{\"amount\":1}", "{\"amount\":\"much\"}", "{\"amount\":2}");
        produce("b", "no json", "{\"amount\":3}");
        produce("c", "{\"amount\":5}");
        app.await(() -> row(database, "c").equals("{\"n\": 1, \"sum\": 5} 0"));
        app.await(() -> row(database, "b").endsWith(" 2"));
        app.await(() -> row(database, "a").equals("{\"n\": 1, \"sum\": 1} 2"));

        assertThat(envelope("parked", "list").words())
                .contains("\"a\"  2 parked since ", "first, parking-0@1, failed after 1 attempt: ")
                .contains(
                        "\"b\"  2 parked since ",
                        "first, parking-0@3, undecodable after 1 attempt: ");
        assertThat(envelope("parked", "show", "a").words())
                .contains("parking-0@1 of ", "much", "parking-0@2 of ", ": behind, 0 attempts");
        assertThat(envelope("parked", "export", "b").words().lines().toList())
                .hasSize(2)
                .first()
                .asString()
                .contains("\"place\":\"parking-0@3\"", "\"value\":\"bm8ganNvbg==\"");

        Said again = envelope("parked", "redrive", "a");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.words()).startsWith("redrove 0; then parking-0@1 failed again: ");
        assertThat(envelope("parked", "show", "a").words())
                .contains("failed, 2 attempts, last tried by a redrive at 20");
        assertThat(envelope("parked", "skip", "a"))
                .isEqualTo(new Said(0, "skipped 1, redrove 1\n"));
        assertThat(row(database, "a")).isEqualTo("{\"n\": 2, \"sum\": 3} 0");
        produce("a", "{\"amount\":4}");
        app.await(() -> row(database, "a").equals("{\"n\": 3, \"sum\": 7} 0"));
        assertThat(envelope("parked", "drop", "nobody").words())
                .isEqualTo("nothing of \"nobody\" is parked\n");

        produce(null, "{\"amount\":6}");
        app.await(() -> envelope("parked", "list").words().contains("without a row: 1 null-key"));
        Said withoutRow = envelope("parked", "show", "--without-row");
        assertThat(withoutRow.words()).startsWith("id ").contains("parking-0@7 of ", "null-key");
        String id = withoutRow.words().substring(3, withoutRow.words().indexOf(','));
        assertThat(envelope("parked", "drop", "--id", id + ",0"))
                .isEqualTo(new Said(1, "dropped 1\nno message without a row has the id [0]\n"));
        assertThat(envelope("parked", "show", "--without-row").words())
                .isEqualTo("nothing without a row is parked\n");
        assertThat(envelope("parked", "drop").code()).isNotZero();

        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
        assertThat(envelope("parked", "drop", "b").words())
                .contains("is queued: no instance is running");

        RunningApp next = run(database);
        next.await(() -> row(database, "b").equals("null 0"));
        next.signal(Signal.TERM);
        assertThat(next.awaitExit()).isZero();
    }
}
