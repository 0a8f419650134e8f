package dev.envelope.integration.browser;

import static dev.envelope.integration.browser.PageSteps.keep;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The live page of a process that reads a table, with slots that others hold, or nobody. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class TablePageTest {

    private static final String NAME = "table_page";

    private static final String OVERFLOW =
            "(() => { const it = document.getElementById('partition-table').closest('.scroll');"
                    + " return it.scrollWidth - it.clientWidth; })()";

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();

    @TempDir Path profile;

    TablePageTest(LocalStack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void needsABrowser() {
        assumeTrue(Browser.installed().isPresent(), "BROWSER NOT RAN: no Chromium on the path");
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
    }

    private RunningApp start(Database database, String instance) {
        List<String> settings = Applications.settings(stack.bootstrapServers(), NAME, database);
        settings.removeIf(it -> it.startsWith("bootstrap") || it.startsWith("topics"));
        settings.addAll(
                List.of(
                        "source=table",
                        "table.name=adjustments",
                        "table.key=account",
                        "table.id=id",
                        "slots=6",
                        "slots.per.process=2",
                        "instance.name=" + instance));
        RunningApp app = RunningApp.start(stack.workspace(), NAME + "-" + instance, settings);
        apps.add(app);
        app.awaitReady();
        return app;
    }

    private static void insert(Database database, int first, String amount) {
        Applications.execute(
                database,
                "INSERT INTO adjustments SELECT i, 'account-' || i %% 40, %s FROM generate_series(%d, %d) i"
                        .formatted(amount, first, first + 1_999));
    }

    @Test
    void itSaysWhatTableIsReadAndWhoHoldsWhichSlots() throws IOException {
        Database database = stack.postgres().createDatabase(NAME);
        Applications.execute(
                database,
                "CREATE TABLE adjustments (id bigint PRIMARY KEY, account text NOT NULL, amount int);"
                        + " CREATE INDEX ON adjustments (account, id)");
        insert(database, 1, "1");
        RunningApp app = start(database, "first");
        start(database, "second");
        try (Browser browser = PageSteps.open(app.url(), profile, 1280, 1000, "light")) {
            browser.await("document.getElementById('slots').innerText.includes('second')");
            assertThat(browser.ask("document.getElementById('slots').innerText").asString())
                    .contains("6 slots: ", "this process", "second", "nobody");
            assertThat(
                            browser.ask("document.getElementById('partition-table').innerText")
                                    .asString())
                    .contains("table:public.adjustments")
                    .as("numbers that rows get when they are read")
                    .doesNotContain(",000,");
            assertThat(browser.ask(OVERFLOW).asInt()).as("what does not fit").isZero();
            insert(database, 10_001, "1");
            keep("table", browser);
            browser.ask("document.getElementById('slots').scrollIntoView({behavior: 'instant'})");
            keep("table-slots", browser);
            assertThat(browser.complaints()).isEmpty();
        }
        try (Browser browser = PageSteps.open(app.url(), profile, 390, 844, "dark")) {
            assertThat(browser.ask("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(390);
            browser.ask("document.getElementById('slots').scrollIntoView({behavior: 'instant'})");
            keep("table-narrow", browser);
        }
    }
}
