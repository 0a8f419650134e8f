package dev.envelope.integration.browser;

import static dev.envelope.integration.browser.PageSteps.ROWS;
import static dev.envelope.integration.browser.PageSteps.SURE;
import static dev.envelope.integration.browser.PageSteps.button;
import static dev.envelope.integration.browser.PageSteps.giveToken;
import static dev.envelope.integration.browser.PageSteps.keep;
import static dev.envelope.integration.browser.PageSteps.remedy;
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

/** The live page as a person sees it, with a process in trouble behind it. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class PageTest {

    private static PoisonedApp app;

    @TempDir Path profile;

    @BeforeAll
    static void start(LocalStack stack) {
        assumeTrue(Browser.installed().isPresent(), "BROWSER NOT RAN: no Chromium on the path");
        app = PoisonedApp.start(stack, "page");
    }

    @AfterAll
    static void stop() {
        if (app != null) {
            app.close();
        }
    }

    private Browser open(int width, int height, String scheme) throws IOException {
        return PageSteps.open(app, profile, width, height, scheme);
    }

    @Test
    void itSaysWhyTheLagIsStuckAndWhereEverythingIs() throws IOException {
        app.waitForTrouble();
        try (Browser browser = open(1280, 1000, "light")) {
            browser.await(
                    "document.getElementById('findings').innerText.includes('no such account')");
            browser.await("document.querySelector('#holdups tbody tr') !== null");
            assertThat(browser.ask("document.getElementById('findings').innerText").asString())
                    .contains("waits for message page-")
                    .contains("of key \"account-7\"");
            assertThat(
                            browser.ask(
                                            "document.querySelectorAll('#partition-table tbody tr').length")
                                    .asInt())
                    .isEqualTo(4);
            assertThat(browser.ask("document.getElementById('state').textContent").asString())
                    .isEqualTo("running");
            browser.await("document.title.includes(' frozen · ')");
            assertThat(browser.ask("document.getElementById('frozen').innerText").asString())
                    .contains("frozen: ", " for you; first: key \"spoilt-");
            browser.await("document.querySelectorAll('#settings tbody tr').length > 20");
            assertThat(browser.ask("document.getElementById('settings').textContent").asString())
                    .contains("pool.size")
                    .doesNotContain(PoisonedApp.TOKEN);
            keep("light", browser);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void aKeyIsLookedUpByHandAndAParkedMessageIsSeenAndDropped() throws IOException {
        try (Browser browser = open(1280, 1000, "dark")) {
            browser.ask("document.getElementById('key').value = 'account-1'");
            browser.ask("document.querySelector('#key-form button').click()");
            browser.await(
                    "document.getElementById('key-answer').innerText.includes('applied below')");

            browser.await("document.querySelector('#parked-table tbody button') !== null");
            browser.ask("document.querySelector('#parked-table tbody button').click()");
            browser.await("document.getElementById('parked-detail').innerText.includes('no json')");
            remedy(browser, "spoilt-1", "Drop it …");
            assertThat(browser.ask("document.getElementById('sure').innerText").asString())
                    .contains("The parked message of key spoilt-1 is deleted", "can't be undone");
            keep("sure", browser);
            browser.ask("document.querySelector('#sure .no').click()");
            assertThat(browser.ask("document.getElementById('said').hidden").asBoolean()).isTrue();
            remedy(browser, "spoilt-1", "Drop it …");
            browser.ask(SURE);
            browser.await(
                    "document.getElementById('said').innerText.includes('http.token') || document.getElementById('said').innerText.includes('Bearer')");

            giveToken(browser);
            browser.await("document.querySelector('#parked-table tbody button') !== null");
            remedy(browser, "spoilt-1", "Drop it …");
            browser.ask(SURE);
            browser.await("(" + row("spoilt-1") + ") === null");
            keep("dark", browser);
        }
    }

    @Test
    void workersAreAddedAndPartitionsPausedByWhoHasTheToken() throws IOException {
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.await("document.getElementById('pool-figures').innerText.includes('size')");
            int size = poolSize(browser);
            browser.ask("document.querySelector('[data-pool=add]').click()");
            browser.await("(" + POOL_SIZE + ") === " + (size + 1));
            browser.ask("document.querySelector('[data-pool=remove]').click()");
            browser.await("(" + POOL_SIZE + ") === " + size);

            browser.await("document.getElementById('events').innerText.includes('pool.size')");
            browser.await(
                    "document.getElementById('settings').textContent.includes('changed while it"
                            + " ran')");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** As with a keyboard: what has the focus is drawn anew all the same, and keeps it. */
    @Test
    void aPartitionIsPausedAndResumedFromTheKeyboard() throws IOException {
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.ask(button("#partition-table", "Pause") + ".focus()");
            browser.ask("document.activeElement.click()");
            browser.await(
                    "document.getElementById('partition-table').innerText.includes('an operator has"
                            + " paused it')");
            assertThat(browser.ask("document.activeElement.textContent").asString())
                    .isEqualTo("Resume");

            browser.ask("document.activeElement.click()");
            browser.await(
                    "!document.getElementById('partition-table').innerText.includes('an operator')");
            assertThat(browser.ask("document.activeElement.textContent").asString())
                    .isEqualTo("Pause");

            browser.ask("document.querySelector('[data-act=pause]').click()");
            browser.await("(" + PAUSED_PARTITIONS + ") === 4");
            browser.ask("document.querySelector('[data-act=resume]').click()");
            browser.await("(" + PAUSED_PARTITIONS + ") === 0");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void whatIsMarkedToBeCopiedIsNotDrawnAnew() throws IOException {
        try (Browser browser = open(1280, 1000, "light")) {
            // The browser tells the page of it a moment later, and that may have drawn till then.
            browser.await(
                    "(cell => getSelection().anchorNode === cell"
                            + " ? cell.dataset.mine = 'yes' : getSelection().selectAllChildren(cell))"
                            + "(document.querySelector('#partition-table tbody td')) === 'yes'");
            browser.ask("document.querySelector('#flow li').dataset.mine = 'old'");
            browser.await("document.querySelector('#flow [data-mine]') === null");

            assertThat(browser.ask("getSelection().toString()").asString()).startsWith("page-");
            assertThat(browser.ask("document.querySelector('td[data-mine]') !== null").asBoolean())
                    .isTrue();
        }
    }

    @Test
    void aMessageIsSkippedAndWhatComesBehindItIsRedriven() throws IOException {
        app.park("skipped", "no json", "{}");
        app.waitForCountOf("behind");
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.await("(" + row("skipped") + ") !== null");
            browser.ask(
                    "document.getElementById('parked-reason').value = 'behind';"
                            + " document.getElementById('parked-reason').dispatchEvent(new"
                            + " Event('change'))");
            browser.await("document.querySelectorAll('#parked-table tbody tr').length === 1");

            remedy(browser, "skipped", "Skip the first …");
            browser.ask(SURE);
            browser.await(
                    "document.getElementById('said').innerText.includes('skipped 1, redrove 1')");
            browser.await("(" + row("skipped") + ") === null");
        }
    }

    @Test
    void aKeyThatWasInQuarantineIsRedrivenAndFlowsAgain() throws IOException {
        app.quarantine("held");
        app.park("held", "{}", "{}");
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.await("(" + row("held") + ") !== null");
            remedy(browser, "held", "Redrive");
            browser.await("document.getElementById('said').innerText.includes('redrove 2')");
            browser.await("(" + row("held") + ") === null");
            browser.ask("document.getElementById('key').value = 'held'");
            browser.ask("document.querySelector('#key-form button').click()");
            browser.await("document.querySelector('#key-answer pre').innerText.includes('3')");
        }
    }

    @Test
    void messagesWithoutARowAreSeenAndDropped() throws IOException {
        app.sendWithoutKey("nobody's");
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.await("!document.getElementById('parked-without').hidden");
            browser.ask("document.getElementById('parked-without').click()");
            browser.await(
                    "document.getElementById('parked-detail').innerText.includes(\"nobody's\")");
            browser.ask(button("#parked-detail", "Drop it …") + ".click()");
            browser.ask(SURE);
            browser.await("document.getElementById('said').innerText.includes('dropped 1')");
            browser.await(
                    "!document.getElementById('parked-detail').innerText.includes(\"nobody's\")");
        }
    }

    @Test
    void whoHasNoScriptFindsTables() throws IOException {
        app.waitForTrouble();
        try (Browser browser = Browser.start(Browser.installed().orElseThrow(), profile)) {
            browser.open(app.url() + "/plain", 390, 844, "light");
            browser.await("document.querySelectorAll('table').length === 5");
            assertThat(browser.ask("document.body.innerText").asString())
                    .contains("no such account")
                    .contains("page-3");
            assertThat(browser.complaints()).isEmpty();
            keep("plain", browser);
        }
    }

    @Test
    void aRedriveThatFailsAgainSaysAtWhichMessageAndWhy() throws IOException {
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.await("document.querySelector('#parked-table tbody button') !== null");
            browser.ask("[...document.querySelectorAll('" + ROWS + "')].at(-1).click()");
            browser.ask(button("#remedy", "Redrive") + ".click()");
            browser.await("document.getElementById('said').innerText.includes('failed again')");
            assertThat(browser.ask("document.getElementById('said').innerText").asString())
                    .contains("redrove 0; then page-");
        }
    }

    @Test
    void aKeyIsHeldBackAndLetGoOn() throws IOException {
        try (Browser browser = open(1280, 1000, "light")) {
            giveToken(browser);
            browser.ask("document.getElementById('key').value = 'account-2'");
            browser.ask("document.querySelector('#key-form button').click()");
            browser.await(button("#key-answer", "Hold it back") + " !== undefined");

            browser.ask(button("#key-answer", "Hold it back") + ".click()");
            browser.await(button("#key-answer", "Let it go on") + " !== undefined");

            browser.ask(button("#key-answer", "Let it go on") + ".click()");
            browser.await(button("#key-answer", "Hold it back") + " !== undefined");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** By the pointer, and by the keys of the slider. */
    @Test
    void aChartTellsItsValuesAndDrawingAnewMakesNoNodes() throws IOException {
        try (Browser browser = open(1280, 1000, "light")) {
            browser.await("document.getElementById('at').max > 1");
            browser.ask(
                    "const plot = document.querySelector('.chart svg');"
                            + " plot.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,"
                            + " clientX: plot.getBoundingClientRect().left + 1}))");
            String first = "document.querySelector('.chart .times span').textContent";
            browser.await("document.getElementById('at-words').textContent > '0'");
            assertThat(browser.ask("document.querySelectorAll('.chart .cursor').length").asInt())
                    .isEqualTo(9);
            assertThat(browser.ask(first).asString()).matches("\\d\\d:\\d\\d:\\d\\d");
            browser.ask(
                    "const at = document.getElementById('at'); at.value = at.max;"
                            + " at.dispatchEvent(new Event('input'))");
            assertThat(browser.ask("document.getElementById('at-words').textContent").asString())
                    .isEqualTo("now");

            browser.collectGarbage();
            int nodes = browser.nodes();
            browser.ask("window.last = document.getElementById('at').max");
            browser.await("document.getElementById('at').max !== last"); // five seconds of drawing
            assertThat(browser.nodes()).isBetween(nodes - 300, nodes + 300);
            browser.collectGarbage();
            assertThat(browser.nodes()).isBetween(nodes - 50, nodes + 50);
        }
    }

    @Test
    void itFitsAPhone() throws IOException {
        try (Browser browser = open(390, 844, "light")) {
            assertThat(browser.ask("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(390);
            keep("narrow", browser);
        }
    }

    private static final String POOL_SIZE =
            "Number(document.querySelector('#pool-figures dd').textContent)";

    private static int poolSize(Browser browser) {
        return browser.ask(POOL_SIZE).asInt();
    }

    private static final String PAUSED_PARTITIONS =
            "[...document.querySelectorAll('#partition-table button')]"
                    + ".filter(it => it.textContent === 'Resume').length";
}
