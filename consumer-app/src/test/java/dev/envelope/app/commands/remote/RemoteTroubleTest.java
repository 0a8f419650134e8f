package dev.envelope.app.commands.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What commands say of a process that does not answer, or not as one of ours. */
class RemoteTroubleTest extends RemoteFixture {

    @Test
    void whoIsNotAnsweredForWantOfATokenHasWhatTheFileSays(@TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("app.properties");
        Files.writeString(
                file,
                """
                application.id=balances
                bootstrap.servers=localhost:9092
                topics=payments
                handler=latest
                store.url=jdbc:postgresql://localhost/db
                store.user=me
                store.password=hunter2hunter2
                """);
        Path report = folder.resolve("report.json");
        status = 401;

        assertThat(execute("doctor", "-c", file.toString(), "--to", report.toString(), "--json"))
                .as(err.toString())
                .isEqualTo(78);
        assertThat(out.toString()).contains("{\"file\":");
        assertThat(Files.readString(report))
                .contains("refused")
                .contains("settingsOfTheFile")
                .contains("balances")
                .doesNotContain("hunter2");
    }

    @Test
    void aProcessThatGoesWhileItIsLookedAtByAProgramIsSaidInTheExitCode() {
        answers.put("/api/status", "{\"state\":\"RUNNING\",\"ready\":true}");
        endsAfter = 1;

        assertThat(execute("status")).isEqualTo(69);
        assertThat(err.toString()).contains("503");
    }

    @Test
    void whoIsRefusedIsToldWhy() {
        status = 401;
        answers.put("/api/pool/add", "wants the header Authorization");

        assertThat(execute("pool", "add", "1")).isEqualTo(78);
        assertThat(err.toString()).contains("wants the header Authorization");
    }

    @Test
    void anAddressWithoutASchemeIsHttpAndOneOfAnotherSchemeIsUsage() {
        answers.put("/api/stuck", "{\"stuck\":false,\"findings\":[\"nothing is stuck\"]}");
        int port = server.getAddress().getPort();

        assertThat(executeAt("localhost:" + port, "stuck")).as(err.toString()).isZero();
        assertThat(executeAt("127.0.0.1:" + port, "stuck")).as(err.toString()).isZero();
        assertThat(executeAt("ftp://127.0.0.1:" + port, "stuck")).isEqualTo(64);
        assertThat(err.toString()).contains("is no address such as http://");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | {\"status\":\"UP\"}",
                "200 | <html></html>",
                "404 | {\"status\":404,\"error\":\"Not Found\"}",
                "401 | <html>",
            })
    void whatIsNoEnvelopeIsSaidToBeNoneInOneLine(int code, String answer) {
        isOurs = false;
        status = code;
        answers.put("/api/stuck", answer);

        assertThat(execute("stuck")).isEqualTo(69);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("what answers at http://127.0.0.1:", "is no envelope; it says " + code);
    }

    @Test
    void whereNobodyAnswersThatIsSaidInOneLine() {
        server.stop(0);

        assertThat(execute("stuck")).isEqualTo(69);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).contains("nobody answers at http://127.0.0.1:");
    }

    @Test
    void whoSaysNotWhichProcessIsAskedTo() {
        Terminal terminal = new Terminal(new PrintWriter(out, true), new PrintWriter(err, true));

        assertThat(EnvelopeCommand.on(terminal).execute("stuck")).isEqualTo(78);
        assertThat(err.toString()).contains("which process?");
    }

    @Test
    void aProcessThatIsNotReadySaysSoInTheExitCodeToo() {
        answers.put(
                "/api/status",
                "{\"application\":\"balances\",\"instance\":\"i\",\"version\":\"1\",\"state\":"
                        + "\"RUNNING\",\"ready\":false,\"notReadyBecause\":[\"the database does not"
                        + " answer\"],\"oldestUnackedMillis\":6000,\"totals\":{},\"pool\":{},\"partitions\":[]}");

        assertThat(execute("status", "--once")).isEqualTo(1);
        assertThat(out.toString())
                .contains("NOT READY")
                .contains("! the database does not answer")
                .contains("! a message is here for 6.0 s: envelope stuck says why");
    }
}
