package dev.envelope.integration.browser;

import dev.envelope.integration.app.PoisonedApp;
import dev.envelope.integration.docs.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a person does with the page again and again. Threads: stateless. */
final class PageSteps {

    private static final Path PICTURES =
            Checkout.ROOT.resolve("integration-tests/scenarios/target/page");

    static final String ROWS = "#parked-table [data-name^=\"act: \"]";

    static final String SURE = "document.getElementById('sure-yes').click()";

    static String row(String key) {
        return "document.querySelector('#parked-table [data-name=\"act: " + key + "\"]')";
    }

    static void remedy(Browser browser, String key, String what) {
        browser.ask(row(key) + ".click()");
        browser.ask(button("#remedy", what) + ".click()");
        browser.await("!document.getElementById('remedy').open");
    }

    static String button(String within, String text) {
        return "[...document.querySelectorAll('%s button')].find(it => it.textContent === '%s')"
                .formatted(within, text);
    }

    static void giveToken(Browser browser) {
        browser.ask("document.getElementById('token').value = '" + PoisonedApp.TOKEN + "'");
        browser.ask("document.querySelector('#token-form button').click()");
    }

    static Browser open(PoisonedApp app, Path profile, int width, int height, String scheme)
            throws IOException {
        return open(app.url(), profile, width, height, scheme);
    }

    static Browser open(String url, Path profile, int width, int height, String scheme)
            throws IOException {
        Browser browser = Browser.start(Browser.installed().orElseThrow(), profile);
        browser.open(url, width, height, scheme);
        browser.await("document.getElementById('f-lag').textContent !== '–'");
        browser.await("document.querySelectorAll('#chart-list svg').length > 5");
        return browser;
    }

    static void keep(String name, Browser browser) throws IOException {
        Files.createDirectories(PICTURES);
        Files.write(PICTURES.resolve(name + ".png"), browser.picture());
    }

    private PageSteps() {}
}
