package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.command.Outcome;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTPS, with certificates of callers and without. */
class CertificatesTest {

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final GatewayServer.Limits LIMITS =
            new GatewayServer.Limits(20, 4 << 20, 64 << 10);

    private static KeyStore ours;

    @TempDir Path folder;

    @BeforeAll
    static void make(@TempDir Path folder) throws Exception {
        ours = made(folder, "ours", "RSA", "localhost");
    }

    @BeforeEach
    void write() throws Exception {
        write(ours, "tls");
    }

    private KeyStore made(String name, String algorithm, String host) throws Exception {
        return made(folder, name, algorithm, host);
    }

    private static KeyStore made(Path folder, String name, String algorithm, String host)
            throws Exception {
        Path file = folder.resolve(name + ".p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1", // it lives for a second
                                "-genkeypair",
                                "-alias",
                                "own",
                                "-keyalg",
                                algorithm,
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "san=dns:" + host + ",ip:127.0.0.1",
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                new String(PASSWORD),
                                "-keystore",
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
        assertThat(keytool.waitFor()).as(said).isZero();
        return KeyStore.getInstance(file.toFile(), PASSWORD);
    }

    /** Writes a certificate and its key, as PEM. */
    private void write(KeyStore from, String name) throws Exception {
        Files.writeString(
                folder.resolve(name + ".crt"),
                pem("CERTIFICATE", from.getCertificate("own").getEncoded()));
        Files.writeString(
                folder.resolve(name + ".key"),
                pem("PRIVATE KEY", from.getKey("own", PASSWORD).getEncoded()));
    }

    private static String pem(String what, byte[] bytes) {
        String text = Base64.getMimeEncoder().encodeToString(bytes);
        return "-----BEGIN %s-----\n%s\n-----END %1$s-----\n".formatted(what, text);
    }

    private Certificates certificates(@Nullable String authorities)
            throws Certificates.BadFileException {
        return new Certificates(
                new Certificates.Pem(
                        folder.resolve("tls.crt"),
                        folder.resolve("tls.key"),
                        Optional.ofNullable(authorities).map(folder::resolve)));
    }

    private static HttpClient client(KeyStore trusted, @Nullable KeyStore own) throws Exception {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore certificates = KeyStore.getInstance("PKCS12");
        certificates.load(null, null);
        certificates.setCertificateEntry("it", trusted.getCertificate("own"));
        trust.init(certificates);
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static int status(GatewayBench bench, HttpClient client)
            throws IOException, InterruptedException {
        String url = bench.server().url();
        assertThat(url).startsWith("https://");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/entities/a")).build();
        return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    @Test
    void callersComeByHttpsOnly() throws Exception {
        try (GatewayBench bench = GatewayBench.open(LIMITS, certificates(null).tls())) {
            assertThat(status(bench, client(ours, null))).isEqualTo(404);
            assertThat(bench.raw("GET / HTTP/1.1", "Host: localhost", "", ""))
                    .doesNotContain("HTTP/1.1");
        }
    }

    @Test
    void callersShowACertificateThatIsTrusted() throws Exception {
        KeyStore known = made("known", "EC", "localhost");
        KeyStore unknown = made("unknown", "EC", "localhost");
        write(known, "clients");
        try (GatewayBench bench = GatewayBench.open(LIMITS, certificates("clients.crt").tls())) {
            assertThat(status(bench, client(ours, known))).isEqualTo(404);
            assertThatThrownBy(() -> status(bench, client(ours, unknown)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> status(bench, client(ours, null)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void newFilesAreTakenAndWrongOnesAreNot() throws Exception {
        Certificates certificates = certificates(null);
        KeyStore next = made("next", "EC", "localhost");
        try (GatewayBench bench = GatewayBench.open(LIMITS, certificates.tls())) {
            Files.writeString(folder.resolve("tls.crt"), "none");
            certificates.look();
            assertThat(status(bench, client(ours, null))).isEqualTo(404);

            write(next, "tls");
            certificates.look();
            assertThat(status(bench, client(next, null))).isEqualTo(404);
            assertThatThrownBy(() -> status(bench, client(ours, null)))
                    .isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"RSA, RSA", "EC, EC", "RSA, EC", "EC, RSA", "Ed25519, Ed25519"})
    void aKeyThatIsNotThatOfTheCertificateIsRefusedAtTheStartAndLater(String one, String other)
            throws Exception {
        KeyStore first = made("first", one, "localhost");
        KeyStore second = made("second", other, "localhost");
        write(first, "tls");
        Certificates certificates = certificates(null);
        try (GatewayBench bench = GatewayBench.open(LIMITS, certificates.tls())) {
            Files.writeString(
                    folder.resolve("tls.crt"),
                    pem("CERTIFICATE", second.getCertificate("own").getEncoded()));
            assertThat(why())
                    .contains("tls.key is not the key of the first certificate in")
                    .endsWith("tls.crt");
            certificates.look();
            assertThat(status(bench, client(first, null))).isEqualTo(404);

            write(second, "tls"); // the key comes, too
            certificates.look();
            assertThat(status(bench, client(second, null))).isEqualTo(404);
        }
    }

    /** As {@code GatewaySafetyTest} has it without encryption. */
    @Test
    void whoIsGoneWaitsNoLonger() throws Exception {
        try (GatewayBench bench = GatewayBench.open(LIMITS, certificates(null).tls())) {
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            bench.outcome = command -> outcome;
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("it", ours.getCertificate("own"));
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            try (Socket socket =
                    context.getSocketFactory().createSocket("localhost", bench.port())) {
                GatewayBench.say(
                        socket,
                        "POST /v1/entities/a/messages?wait=30s HTTP/1.1\r\nHost: localhost\r\n"
                                + "Content-Length: 2\r\n\r\n{}");
                GatewayBench.until(() -> bench.commands.size() == 1);
            }

            GatewayBench.until(outcome::isCancelled);
        }
    }

    @Test
    void filesThatAreNoneAreRefused() throws Exception {
        List<String> said = new ArrayList<>();
        for (String wrong : List.of("", "none", "-----BEGIN CERTIFICATE-----\nAA\n")) {
            Files.writeString(folder.resolve("tls.crt"), wrong);
            said.add(why());
        }
        write(ours, "tls");
        for (String wrong :
                List.of("", pem("RSA PRIVATE KEY", new byte[9]), pem("PRIVATE KEY", new byte[9]))) {
            Files.writeString(folder.resolve("tls.key"), wrong);
            said.add(why());
        }
        Files.delete(folder.resolve("tls.crt"));
        said.add(why());

        assertThat(said)
                .satisfiesExactly(
                        it -> assertThat(it).contains("tls.crt has no certificate"),
                        it -> assertThat(it).contains("tls.crt has no certificate"),
                        it -> assertThat(it).contains("tls.crt has no certificate"),
                        it -> assertThat(it).contains("tls.key has no private key", "openssl"),
                        it -> assertThat(it).contains("tls.key has no private key", "openssl"),
                        it -> assertThat(it).contains("tls.key has a private key that is none of"),
                        it -> assertThat(it).contains("tls.crt can't be read"));
    }

    private String why() {
        try {
            certificates(null);
            return "";
        } catch (Certificates.BadFileException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
