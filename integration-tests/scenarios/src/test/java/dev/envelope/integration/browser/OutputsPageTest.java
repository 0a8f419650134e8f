package dev.envelope.integration.browser;

import static dev.envelope.integration.browser.PageSteps.SURE;
import static dev.envelope.integration.browser.PageSteps.button;
import static dev.envelope.integration.browser.PageSteps.giveToken;
import static dev.envelope.integration.browser.PageSteps.keep;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.EchoFold;
import dev.envelope.integration.app.PoisonedApp;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Outputs to a topic that is not there, as an operator sees them and deals with them. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class OutputsPageTest {

    private static final String TOPIC = "emitting";

    private static LocalStack stack;

    @TempDir Path profile;

    @BeforeAll
    static void start(LocalStack shared) {
        assumeTrue(Browser.installed().isPresent(), "BROWSER NOT RAN: no Chromium on the path");
        stack = shared;
    }

    private static RunningApp run() {
        stack.topics().create(TOPIC, 2);
        Database database = stack.postgres().createDatabase(TOPIC);
        List<String> lines =
                Applications.settings(stack.broker().bootstrapServers(), TOPIC, database);
        lines.removeIf(it -> it.startsWith("handler"));
        lines.addAll(
                List.of(
                        "handler=" + EchoFold.class.getName(),
                        "value.format=string",
                        "http.token=" + PoisonedApp.TOKEN));
        return RunningApp.start(stack.workspace(), TOPIC, lines);
    }

    private static String outputs(String... arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        List<String> all = new ArrayList<>(List.of("outputs"));
        all.addAll(Arrays.asList(arguments));
        Path settings = stack.workspace().folder().resolve(TOPIC + ".properties");
        all.addAll(List.of("-c", settings.toString()));
        EnvelopeCommand.on(new Terminal(writer, writer)).execute(all.toArray(String[]::new));
        return words.toString();
    }

    @Tag("long")
    @Test
    void whatKafkaRefusesIsShownAndDroppedOnThePageAndRetriedByTheCommand() throws IOException {
        RunningApp app = run();
        app.awaitReady();
        String trouble = "topic emitting-echo refuses outputs: ";
        for (int i = 0; i < 3; i++) { // a save each, so that each can be dropped alone
            String refused = "; " + (i + 1) + " refused";
            Applications.produceOf(stack, TOPIC, "key-" + i, "x");
            app.await(() -> outputs("list").contains(refused));
        }
        // What waits is counted once a second.
        app.await(() -> app.get("/api/stuck").body().contains("outputs can't be sent: " + trouble));

        assertThat(outputs("list"))
                .contains("emitting-echo: 3 wait, the first since ", "; 3 refused")
                .contains(" to emitting-echo, key \"key-1\", of emitting-")
                .containsPattern("\\d tr(y|ies) since ")
                .doesNotContain("no process sends them");
        assertThat(app.get("/plain").body()).contains(trouble);

        try (Browser browser = PageSteps.open(app.url(), profile, 1280, 1000, "light")) {
            giveToken(browser);
            browser.await("document.querySelectorAll('#outputs-refused tbody tr').length === 3");
            browser.ask("document.getElementById('outputs').scrollIntoView({behavior: 'instant'})");
            keep("outputs", browser);
            assertThat(browser.ask("document.getElementById('outputs').innerText").asString())
                    .contains("topic emitting-echo refuses outputs", "key-2", "emitting-");

            browser.ask(button("#outputs-refused", "Drop …") + ".click()");
            assertThat(browser.ask("document.getElementById('sure').innerText").asString())
                    .contains("never sent to emitting-echo", "can't be undone");
            browser.ask(SURE);
            browser.await("document.getElementById('said').innerText === '1 output: was dropped'");
            browser.await("document.querySelectorAll('#outputs-refused tbody tr').length === 2");
            assertThat(browser.complaints()).isEmpty();
        }

        stack.topics().create("emitting-echo", 1);
        // They are tried again without the command, too, every ten seconds.
        assertThat(outputs("retry", "--all")).containsAnyOf("outputs done", "nothing refused");
        app.await(() -> outputs("list").equals("no output waits\n"));
        app.await(() -> app.get("/status").body().contains("\"outputs\":{\"waiting\":0"));
        app.await(() -> !app.get("/api/stuck").body().contains("outputs can't be sent"));
        app.process().kill();
        assertThat(outputs("drop", "1")).contains("nothing refused is there");
    }
}
