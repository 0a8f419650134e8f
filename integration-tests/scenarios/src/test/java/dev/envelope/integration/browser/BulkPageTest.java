package dev.envelope.integration.browser;

import static dev.envelope.integration.browser.PageSteps.SURE;
import static dev.envelope.integration.browser.PageSteps.button;
import static dev.envelope.integration.browser.PageSteps.giveToken;
import static dev.envelope.integration.browser.PageSteps.keep;
import static dev.envelope.integration.browser.PageSteps.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.integration.app.PoisonedApp;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The same asked for of many keys on the live page. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class BulkPageTest {

    private static final String DONE = "document.getElementById('bulk-words').innerText";

    private static PoisonedApp app;

    @TempDir Path profile;

    @BeforeAll
    static void start(LocalStack stack) {
        assumeTrue(Browser.installed().isPresent(), "BROWSER NOT RAN: no Chromium on the path");
        app = PoisonedApp.start(stack, "bulkpage");
    }

    @AfterAll
    static void stop() {
        if (app != null) {
            app.close();
        }
    }

    private Browser open() throws IOException {
        Browser browser = PageSteps.open(app, profile, 1280, 1000, "light");
        giveToken(browser);
        browser.await("!document.getElementById('bulk').hidden");
        browser.ask("document.getElementById('bulk').open = true");
        return browser;
    }

    /** Of those whose reason is this value that is no JSON. */
    private static void count(Browser browser, String action, String value) {
        browser.ask("document.getElementById('bulk-why').value = \"token '" + value + "'\"");
        browser.ask("document.getElementById('bulk-action').value = '" + action + "'");
        browser.ask("document.getElementById('bulk-form').dispatchEvent(new Event('input'))");
        browser.ask(button("#bulk-form", "Count them") + ".click()");
        browser.await("document.getElementById('bulk-go') !== null");
    }

    @Test
    void theSameIsDoneWithManyKeysOnceTheyAreCounted() throws IOException {
        for (int i = 0; i < 4; i++) {
            app.park("many-" + i, "many", "{}");
        }
        try (Browser browser = open()) {
            count(browser, "skip", "many");
            browser.await("document.querySelectorAll('#bulk-found li').length === 3");
            assertThat(browser.ask("document.getElementById('bulk-found').innerText").asString())
                    .startsWith("4 keys with 8 parked messages; the first:");
            browser.ask("document.getElementById('bulk-go').click()");
            assertThat(browser.ask("document.getElementById('sure').innerText").asString())
                    .contains("4 messages of 4 keys are deleted", "be undone");
            keep("many", browser);
            browser.ask(SURE);
            browser.await(
                    "document.getElementById('bulk-words').innerText === 'skip: 4 of 4 keys are done'");
            browser.await("(" + row("many-3") + ") === null");
            assertThat(browser.ask("document.getElementById('bulk-stop').hidden").asBoolean())
                    .isTrue();
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void whatIsUnderWayIsStoppedAndTheOthersStayParked() throws IOException {
        int keys = 40;
        app.parkEach("slow-", keys, "slow");
        try (Browser browser = open()) {
            browser.ask("document.getElementById('bulk-rate').value = 1"); // a second
            count(browser, "skip", "slow");
            assertThat(browser.ask("document.getElementById('bulk-found').innerText").asString())
                    .startsWith("40 keys with 40 parked messages; the first:");
            browser.ask("document.getElementById('bulk-go').click()");
            browser.ask(SURE);
            browser.await("!document.getElementById('bulk-stop').hidden");
            browser.await(DONE + ".includes(' of 40 keys are done')");

            browser.ask("document.getElementById('bulk-stop').click()");

            browser.await(DONE + ".includes('; stopped; ')");
            assertThat(browser.ask(DONE).asString())
                    .matches("skip: \\d+ of 40 keys are done; stopped; \\d+ are left");
            browser.await("document.getElementById('bulk-stop').hidden");
            keep("stopped-run", browser);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void whereThereAreOthersByNowItIsNotBegunAndIsCountedAnew() throws IOException {
        app.park("late-1", "late", "{}");
        try (Browser browser = open()) {
            count(browser, "drop", "late");
            app.park("late-2", "late", "{}");

            browser.ask("document.getElementById('bulk-go').click()");
            browser.ask(SURE);

            browser.await(
                    "document.getElementById('said').innerText.includes('there are 2 keys by now, not"
                            + " 1: look again')");
            keep("conflict", browser);

            count(browser, "drop", "late");
            assertThat(browser.ask("document.getElementById('bulk-found').innerText").asString())
                    .startsWith("2 keys with 4 parked messages; the first:");
            browser.ask("document.getElementById('bulk-go').click()");
            browser.ask(SURE);
            browser.await(DONE + " === 'drop: 2 of 2 keys are done'");
        }
    }
}
