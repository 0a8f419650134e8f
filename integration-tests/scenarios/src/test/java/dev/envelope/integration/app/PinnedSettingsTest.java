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
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Settings that decide which row a record belongs to, and are changed all the same. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class PinnedSettingsTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private String file = "none";
    private int runs;

    private record Said(int code, String words) {}

    private static List<String> settings(String name, Database database, String... more) {
        List<String> all = new ArrayList<>(Applications.settings(stack, name, database));
        for (String each : more) {
            all.removeIf(it -> it.startsWith(each.substring(0, each.indexOf('=') + 1)));
            all.add(each);
        }
        return all;
    }

    /** Each run has a log of its own. */
    private RunningApp run(String name, Database database, String... more) {
        file = name + "-" + ++runs;
        return RunningApp.start(stack.workspace(), file, settings(name, database, more));
    }

    private static void stop(RunningApp app) {
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    /** On the file that was started last. */
    private Said envelope(String... arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(
                List.of("-c", stack.workspace().folder().resolve(file + ".properties").toString()));
        int code =
                EnvelopeCommand.on(new Terminal(writer, writer))
                        .execute(all.toArray(String[]::new));
        return new Said(code, words.toString());
    }

    private static String keys(Database database, String schema) {
        return Applications.first(
                database, "SELECT string_agg(key, ',' ORDER BY key) FROM " + schema + ".state");
    }

    @Tag("long")
    @Test
    void aSecondTopicWithRowsOfItsOwnDoesNotBeginAllStatesAnewBesideTheOldRows() {
        stack.topics().create("orders", 1);
        stack.topics().create("refunds", 1);
        Database database = stack.postgres().createDatabase("orders");
        RunningApp first = run("orders", database);
        Applications.produceOf(stack, "orders", "account-7", "{\"amount\":5}");
        first.await(() -> Applications.counted(database, "orders") == 1);
        stop(first);
        Applications.produceOf(stack, "orders", "account-7", "{\"amount\":6}");

        RunningApp second = run("orders", database, "topics=orders,refunds", "key.scope=topic");

        assertThat(second.awaitExit()).isEqualTo(78);
        assertThat(second.log())
                .contains("key.scope is topic, but the rows of the schema orders were made with")
                .contains("set key.scope=application;")
                .contains("envelope pin -c FILE --yes");
        assertThat(keys(database, "orders")).isEqualTo("account-7");
        assertThat(envelope("validate", "--online").code()).isEqualTo(78);

        Said asked = envelope("pin");
        assertThat(asked.code()).isEqualTo(1);
        assertThat(asked.words()).contains("key.scope=application  pinned", "key.format=string");
        Said confirmed = envelope("pin", "key.scope", "--yes");
        assertThat(confirmed.code()).as(confirmed.words()).isZero();
        assertThat(confirmed.words()).startsWith("key.scope=topic  pinned ");
        assertThat(confirmed.words()).endsWith(", was application\n");

        RunningApp third = run("orders", database, "topics=orders,refunds", "key.scope=topic");
        third.await(() -> keys(database, "orders").equals("account-7,orders/account-7"));
        stop(third);
    }

    @Tag("long")
    @Test
    void anotherKeyFormatIsRefused() {
        stack.topics().create("codes", 1);
        Database database = stack.postgres().createDatabase("codes");
        RunningApp first = run("codes", database, "key.format=base64");
        Applications.produceOf(stack, "codes", "a", "{\"amount\":5}");
        first.await(() -> keys(database, "codes").equals("YQ=="));
        stop(first);

        RunningApp second = run("codes", database);

        assertThat(second.awaitExit()).isEqualTo(78);
        assertThat(second.log())
                .contains("key.format is string, but the rows of the schema codes were made with")
                .contains("base64");
        RunningApp third = run("codes", database, "key.format=base64");
        third.awaitReady();
        stop(third);
    }

    @Test
    @Tag("long")
    void anExpressionThatComesToMeanSomethingElseIsRefusedAndOneMoreIsNot() {
        stack.topics().create("meanings", 1);
        Database database = stack.postgres().createDatabase("meanings");
        RunningApp first = run("meanings", database, "handler.fold.sum=sum(/amount)");
        Applications.produceOf(stack, "meanings", "k", "{\"amount\":5,\"net\":4}");
        first.await(() -> state(database, "k").contains("\"sum\": 5"));
        stop(first);

        RunningApp second = run("meanings", database, "handler.fold.sum=sum(/net)");

        assertThat(second.awaitExit()).isEqualTo(78);
        assertThat(second.log())
                .contains("handler.fold.sum is sum(/net), but the rows of the schema meanings")
                .contains("were made with sum(/amount) (pinned ")
                .contains("envelope pin handler.fold.sum -c FILE --yes");

        // The template of another application: each key's sums would become its next document.
        List<String> other = settings("meanings", database);
        other.removeIf(line -> line.startsWith("handler"));
        other.add("handler=latest");
        RunningApp latest = RunningApp.start(stack.workspace(), "meanings-latest", other);
        assertThat(latest.awaitExit()).isEqualTo(78);
        assertThat(latest.log()).contains("handler is latest, but the rows", "made with fold");
        assertThat(state(database, "k")).contains("\"sum\": 5");

        String[] more = {"handler.fold.sum=sum( /amount )", "handler.fold.net=sum(/net)"};
        RunningApp third = run("meanings", database, more);
        Applications.produceOf(stack, "meanings", "k", "{\"amount\":6,\"net\":5}");
        third.await(() -> state(database, "k").contains("\"net\": 5"));
        assertThat(state(database, "k")).contains("\"sum\": 11");
        stop(third);
    }

    private static String state(Database database, String key) {
        return Applications.first(
                database,
                "SELECT state::jsonb::text FROM meanings.state WHERE key = '" + key + "'");
    }

    @Tag("long")
    @Test
    void rowsThatAreOlderThanThePinsAndDoNotShowWhatMadeThemWaitForAPerson() throws Exception {
        stack.topics().create("numbers", 1);
        Database database = stack.postgres().createDatabase("numbers");
        RunningApp first = run("numbers", database);
        Applications.produceOf(stack, "numbers", "7", "{\"amount\":5}");
        first.await(() -> keys(database, "numbers").equals("7"));
        stop(first);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM numbers.pin"); // as after an upgrade
        }

        RunningApp second = run("numbers", database);

        assertThat(second.awaitExit()).isEqualTo(78);
        assertThat(second.log())
                .contains("key.format is string, but the schema numbers has rows from before")
                .contains("if that is string, run envelope pin -c FILE --yes");
        assertThat(envelope("pin", "--json"))
                .satisfies(it -> assertThat(it.code()).isEqualTo(1))
                .extracting(Said::words)
                .asString()
                .contains("{\"name\":\"key.format\",\"configured\":\"string\",\"agrees\":false")
                .contains("{\"name\":\"key.scope\",\"configured\":\"application\",\"agrees\":true");
        assertThat(envelope("pin", "--yes").code()).isZero();
        RunningApp third = run("numbers", database);
        third.awaitReady();
        stop(third);
    }

    @Tag("long")
    @Test
    void topicsThatShareRowsHaveEquallyManyPartitionsOrTheFirstStartIsRefused() {
        stack.topics().create("even", 2);
        stack.topics().create("uneven", 3);
        Database database = stack.postgres().createDatabase("even");
        String[] both = {"topics=even,uneven", "key.scope=application"};

        RunningApp refused = run("even", database, both);
        assertThat(refused.awaitExit()).isEqualTo(78);
        assertThat(refused.log())
                .contains("topics that share rows have different numbers of partitions")
                .contains("(even 2, uneven 3)");

        RunningApp alone = run("even", database); // nothing was pinned by the refused one
        Applications.produceOf(stack, "even", "7", "{\"amount\":5}");
        alone.await(() -> keys(database, "even").equals("7")); // from now on rows are there
        stop(alone);
        RunningApp warned = run("even", database, both);
        warned.awaitReady();
        assertThat(warned.log()).contains("(even 2, uneven 3)");
        stop(warned);
    }

    @Tag("long")
    @Test
    void aFieldThatIsRenamedIsToldByTheLogTheValidationAndStuckWithWhatMendsIt() {
        stack.topics().create("renamed", 3);
        Database database = stack.postgres().createDatabase("renamed");
        RunningApp first = run("renamed", database);
        Applications.produceOf(stack, "renamed", "7", "{\"amount\":5}");
        first.await(() -> keys(database, "renamed").equals("7"));
        stop(first);
        Applications.produceOf(stack, "renamed", "7", "{\"amount\":5}");

        String remedy = "it has the field \"n\", which no handler.fold.* has (handler.drop=n would";
        List<String> renamed = settings("renamed", database, "handler.fold.n=count()");
        renamed.replaceAll(line -> line.replace("handler.fold.n=", "handler.fold.number="));
        file = "renamed-again";
        RunningApp second = RunningApp.start(stack.workspace(), file, renamed);
        second.await(() -> second.log().contains(remedy));
        second.await(() -> second.get("/api/stuck").body().contains("it has the field"));
        assertThat(second.get("/api/stuck").body()).contains("handler.drop=n would give it up");
        Said said = envelope("validate", "--online");
        assertThat(said.words()).contains(remedy);
        assertThat(said.code()).isEqualTo(78);
        second.process().kill();

        RunningApp third = run("renamed", database, "handler.fold.more=count()");
        third.await(
                () ->
                        Applications.first(
                                        database,
                                        "SELECT state::jsonb ->> 'more' FROM renamed.state")
                                .equals("1"));
        assertThat(envelope("validate", "--online").code()).as("one is added").isZero();
        stop(third);
    }

    @Test
    void aRoleWithoutRightsIsToldByTheValidationInTheWordsOfTheStart() {
        stack.topics().create("rich", 1);
        Database rich = stack.postgres().createDatabase("rich");
        Database poor = stack.postgres().createDatabase("poor");

        RunningApp refused = run("rich", new Database(rich.url(), poor.user(), poor.password()));

        String words = "lacks a right on schema rich";
        assertThat(refused.awaitExit()).isEqualTo(78);
        assertThat(refused.log()).contains(words);
        Said said = envelope("validate", "--online");
        assertThat(said.words()).contains(words, "is store.user the wrong one?");
        assertThat(said.code()).isEqualTo(78);
    }
}
