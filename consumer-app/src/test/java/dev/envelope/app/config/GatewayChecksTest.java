package dev.envelope.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.key.GatewayKeys;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayChecksTest {

    private static final String ON = "gateway.listen=127.0.0.1:8090; dedupe.id=header:id; ";
    private static final String FOR_OTHERS = "gateway.listen=0.0.0.0:8090; dedupe.id=header:id; ";

    @TempDir Path directory;
    private ConfigFixture config;

    @BeforeEach
    void inAFolderOfItsOwn() {
        config = new ConfigFixture(directory);
    }

    private String problemsWith(String lines) {
        return config.printed(config.problemsWith(lines.split("; "))).replaceAll("\n +", " ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gateway.listen=127.0.0.1:8090 | app.properties:6  gateway.listen = 127.0.0.1:8090"
                        + " needs event ids in a header: without them, an event that comes as a"
                        + " command and by another way, too, would be applied twice (dedupe.id=none, default) ->"
                        + " dedupe.id=header:<name>, or cloudevents",
                "gateway.listen=127.0.0.1:8090; dedupe.id=json:/id | (dedupe.id=json:/id, line 7)",
                ON + "key.format=debezium | can't make a record's key of the key in an address",
                ON + "key.format=a.Deserializer | can't make a record's key of the key in an",
                ON + "topics=a,b; key.scope=topic | does not say which of several topics",
                ON + "gateway.topic=other | gateway.topic = other is not read",
                ON
                        + "http.listen=localhost:8090 | is the port of the page and the operators' API"
                        + " (http.listen=localhost:8090, line 8) -> take another port",
                FOR_OTHERS
                        + "log.level=info | can be reached by other machines, and neither"
                        + " gateway.token nor gateway.tls.client.ca is set",
                FOR_OTHERS
                        + "gateway.token=0123456789abcdef | tokens and values travel unencrypted",
                FOR_OTHERS + "gateway.token=0123456789 | is shorter than 16 characters",
                ON
                        + "gateway.token=0123456789abcdef; http.token=0123456789abcdef |"
                        + " is the same as http.token",
                ON
                        + "gateway.token=fedcba9876543210; gateway.token.former=0123456789abcdef;"
                        + " http.token=0123456789abcdef |"
                        + " is the same as http.token",
                ON
                        + "gateway.tls.key=/dev/null | gateway.tls.key = /dev/null is set without"
                        + " gateway.tls.certificate",
                ON + "gateway.tls.certificate=/dev/null | is set without gateway.tls.key",
                ON + "gateway.tls.client.ca=/dev/null | is set without gateway.tls.certificate",
                ON + "gateway.tls.key=/no/such | gateway.tls.key = /no/such can't be read",
                ON + "gateway.tls.key=tls.key | is not an absolute path",
                ON
                        + "gateway.max.body=2MiB; gateway.max.bytes=9MiB | gateway.max.body (2MiB, line"
                        + " 8) must be at most a fifth of gateway.max.bytes (9MiB, line 9)",
                ON
                        + "deleted.keys.retention=2h | gateway.replies.retention (1d, default) must"
                        + " not be longer than deleted.keys.retention",
                ON
                        + "gateway.replies.retention=60d | must not be longer than"
                        + " deleted.keys.retention (30d, default)",
                ON + "gateway.partitioner=murmur | is not known: did you mean murmur2?",
                ON + "gateway.tokn=x | did you mean gateway.token?",
                "gateway.max.wait=5s | gateway.max.wait = 5s means nothing without gateway.listen"
            })
    void isPointedOut(String lines, String expected) {
        assertThat(problemsWith(lines)).contains(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ON + "log.level=info",
                ON + "key.format=long; http.listen=none",
                ON + "topics=a,b; key.scope=topic; gateway.topic=b",
                "gateway.listen=[::1]:0; dedupe.id=cloudevents; http.listen=127.0.0.1:0",
                "gateway.replies.retention=7d"
            })
    void isAccepted(String lines) {
        assertThat(config.loadWith(lines.split("; ")).warnings().all()).isEmpty();
    }

    @Test
    void isOffByDefault() {
        assertThat(config.loadWith("log.level=info").get(GatewayKeys.LISTEN)).isEmpty();
    }
}
