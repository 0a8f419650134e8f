package dev.envelope.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.security.SecureServers.Listener;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are not who they should be, and servers that do not let us in: said at once. */
@Tag("cluster")
@ExtendWith(OneSecureStack.class)
class RefusedServersTest {

    private static final String APPLICATION = "refused";
    private static boolean isAdmitted;

    private final SecureServers servers;

    RefusedServersTest(SecureServers servers) {
        this.servers = servers;
    }

    @BeforeEach
    void admit() {
        if (!isAdmitted) {
            servers.admit(APPLICATION);
            isAdmitted = true;
        }
    }

    private record Said(int code, String words) {}

    /** What a start would be told, with these lines instead of those of the same name. */
    private Said validate(Listener listener, String... changes) {
        List<String> lines = new ArrayList<>(servers.settings(APPLICATION, listener));
        for (String change : changes) {
            String name = change.substring(0, change.indexOf('=') + 1);
            lines.removeIf(line -> line.startsWith(name));
            lines.add(change);
        }
        Path file = servers.write("validated.properties", String.join("\n", lines) + "\n");
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        int code =
                EnvelopeCommand.on(new Terminal(writer, writer))
                        .execute("validate", "--online", "-c", file.toString());
        assertThat(words.toString()).doesNotContain("canary");
        return new Said(code, words.toString());
    }

    @Test
    void allThatIsAsItShouldBeIsReady() {
        Said said = validate(Listener.TRUSTED);
        assertThat(said.words()).contains("the servers are ready").doesNotContain("warning");
        assertThat(said.code()).isZero();
    }

    @Test
    void aBrokerUnderAnotherNameOrWithAnExpiredCertificateIsNotTrusted() {
        Said other = validate(Listener.OTHERHOST);
        assertThat(other.words()).contains("does not let us in", "localhost", "kafka.ssl.*");
        assertThat(other.code()).isEqualTo(78);

        Said expired = validate(Listener.EXPIRED);
        assertThat(expired.words()).contains("does not let us in", "NotAfter", "kafka.ssl.*");
        assertThat(expired.code()).isEqualTo(78);
    }

    @Test
    void aWrongPasswordIsRefusedByBothServersInOneSentenceEach() {
        Said said =
                validate(
                        Listener.TRUSTED,
                        "kafka.sasl.jaas.config=org.apache.kafka.common.security.scram"
                                + ".ScramLoginModule required username=\"refused\""
                                + " password=\"canary-wrong\";",
                        "store.password=canary-wrong");
        assertThat(said.words())
                .contains(
                        "invalid credentials", "the database refuses the login of refused_worker");
        assertThat(said.code()).isEqualTo(78);
        assertThat(servers.postgres().process().logTail(1_000).split("failed for user", -1))
                .as("attempts on the database, and what stands before the first")
                .hasSizeLessThanOrEqualTo(1 + 3);
    }

    @Test
    void aDatabaseUnderAnotherNameOrWithAnExpiredCertificateOrAnUnknownOneIsNotTrusted() {
        servers.identify(servers.authority().otherHost()); // the last step brings ours back
        Said other = validate(Listener.TRUSTED);
        assertThat(other.words()).contains("the database is not trusted", "localhost");
        assertThat(other.code()).isEqualTo(78);

        servers.identify(servers.authority().expiredLocalhost());
        Said expired = validate(Listener.TRUSTED);
        assertThat(expired.words())
                .contains("the database is not trusted", "validity check failed");
        assertThat(expired.code()).isEqualTo(78);

        servers.identify(servers.authority().localhost());
        Said unknown =
                validate(
                        Listener.TRUSTED,
                        "store.url=" + servers.url(APPLICATION, servers.otherTrust()));
        assertThat(unknown.words()).contains("the database is not trusted", "sslrootcert");
        assertThat(unknown.code()).isEqualTo(78);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "required username=\"x\" password=\"canary-jaas\"",
                "required username=\"x\" password \"canary-jaas\";",
                "required password=canary-jaas;canary-jaas",
                "canary-jaas required;"
            })
    void aLineForTheLoginThatCanNotBeReadIsRefusedWithoutBeingQuoted(String rest) {
        Said said =
                validate(
                        Listener.TRUSTED,
                        "kafka.sasl.jaas.config=org.apache.kafka.common.security.scram"
                                + ".ScramLoginModule "
                                + rest);
        assertThat(said.code()).isEqualTo(78);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://refused:canary-url@localhost/refused",
                "jdbc:postgresql://localhost/refused?password=canary-url",
                "jdbc:postgresql://localhost:canary-url/refused",
                "jdbc:postgresql://localhost/refused?user=refused&sslpassword=canary-url"
            })
    void aSecretInTheUrlIsRefusedWithoutBeingQuoted(String url) {
        Said said = validate(Listener.TRUSTED, "store.url=" + url);
        assertThat(said.words()).contains("store.url");
        assertThat(said.code()).isEqualTo(78);
    }

    @Test
    void withoutTheDocumentedRightsAStartNamesThem() {
        servers.forbid(APPLICATION, ResourceType.TOPIC, AclOperation.READ);
        servers.forbid(APPLICATION, ResourceType.GROUP, AclOperation.READ);
        try {
            Said said = validate(Listener.TRUSTED);
            assertThat(said.words()).contains("allow READ and DESCRIBE on it", "allow READ on it");
            assertThat(said.code()).isEqualTo(78);
        } finally {
            servers.allow(APPLICATION, ResourceType.TOPIC, AclOperation.READ);
            servers.allow(APPLICATION, ResourceType.GROUP, AclOperation.READ);
        }
    }
}
