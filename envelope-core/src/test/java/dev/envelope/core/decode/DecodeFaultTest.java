package dev.envelope.core.decode;

import static dev.envelope.core.decode.DecodeFault.OUTAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Int64Value;
import dev.envelope.core.api.UnavailableException;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

final class DecodeFaultTest {

    /** As clients of schema registries throw it: neither an I/O error nor retriable. */
    public static final class AnswerException extends Exception {

        private static final long serialVersionUID = 1L;
        private final int status;

        AnswerException(int status) {
            this.status = status;
        }

        public int getStatus() {
            return status;
        }

        public int getErrorCode() {
            return status;
        }
    }

    /** As Apicurio's client does: the status is in what it passes on. */
    public static final class PassedOnException extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final transient AnswerException error;

        PassedOnException(int status) {
            error = new AnswerException(status);
        }

        public Object getError() {
            return error;
        }
    }

    private static DecodeFault wrapped(Throwable cause) {
        return DecodeFault.of(new SerializationException("by a deserializer", cause));
    }

    @Test
    void theNetworkATimeOutAndWhatIsRetriableAreAnOutage() {
        assertThat(wrapped(new ConnectException("refused"))).isEqualTo(OUTAGE);
        assertThat(wrapped(new IOException("post", new UnknownHostException("registry"))))
                .isEqualTo(OUTAGE);
        assertThat(wrapped(new SocketTimeoutException("read"))).isEqualTo(OUTAGE);
        assertThat(wrapped(new HttpTimeoutException("read"))).isEqualTo(OUTAGE);
        assertThat(DecodeFault.of(new TimeoutException("no answer"))).isEqualTo(OUTAGE);
        assertThat(DecodeFault.of(new UnavailableException("said by a format of one's own")))
                .isEqualTo(OUTAGE);
    }

    @Test
    void anAnswerThatIsNoneIsAnOutageAndOneThatSaysNoIsUnclear() {
        for (int status : new int[] {401, 403, 429, 500, 502, 503, 504}) {
            assertThat(wrapped(new AnswerException(status))).isEqualTo(OUTAGE);
        }
        for (int status : new int[] {404, 409, 422}) {
            assertThat(wrapped(new AnswerException(status))).isEqualTo(DecodeFault.UNCLEAR);
        }
        assertThat(wrapped(new PassedOnException(503))).isEqualTo(OUTAGE);
        assertThat(wrapped(new PassedOnException(404))).isEqualTo(DecodeFault.UNCLEAR);
        assertThat(wrapped(new AnswerException(40_403))).isEqualTo(DecodeFault.BYTES);
    }

    @Test
    void whatAParserSaysIsAboutTheBytesThoughItIsAnIoException() {
        assertThat(wrapped(new EOFException())).isEqualTo(DecodeFault.BYTES);
        assertThat(wrapped(new MalformedInputException(1))).isEqualTo(DecodeFault.BYTES);
        assertThat(DecodeFault.of(new UncheckedIOException(new EOFException())))
                .isEqualTo(DecodeFault.BYTES);
        assertThat(DecodeFault.of(new SerializationException("unknown magic byte")))
                .isEqualTo(DecodeFault.BYTES);
        assertThat(DecodeFault.of(new NullPointerException())).isEqualTo(DecodeFault.BYTES);
        assertThat(DecodeFault.of(new StackOverflowError())).isEqualTo(DecodeFault.BYTES);
        Throwable ofProtobuf = catchThrowable(() -> Int64Value.parseFrom(new byte[] {8}));
        assertThat(ofProtobuf).isInstanceOf(IOException.class);
        assertThat(wrapped(ofProtobuf)).isEqualTo(DecodeFault.BYTES);
    }

    /** As a registry does that is restarted; the client says "end of input", as a parser would. */
    @Test
    void anAnswerThatEndsTooSoonIsAnOutage() throws Exception {
        for (String answer :
                List.of(
                        "",
                        "HTTP/1.",
                        "HTTP/1.1 200 OK\r\nContent-Le",
                        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf")) {
            Throwable thrown = askedOfOneWhoSaysOnly(answer);
            assertThat(thrown).isInstanceOf(IOException.class);
            assertThat(wrapped(thrown)).as("after '%s': %s", answer, thrown).isEqualTo(OUTAGE);
        }
    }

    private static Throwable askedOfOneWhoSaysOnly(String answer) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread registry = new Thread(() -> answerAll(server, answer));
            registry.start();
            URI uri = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/schemas/ids/7");
            HttpRequest request = HttpRequest.newBuilder(uri).build();
            return catchThrowable(
                    () ->
                            HttpClient.newHttpClient()
                                    .send(request, HttpResponse.BodyHandlers.ofString()));
        }
    }

    /** Until it is closed: the client asks once more. */
    private static void answerAll(ServerSocket server, String answer) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept();
                    BufferedReader question =
                            new BufferedReader(
                                    new InputStreamReader(
                                            socket.getInputStream(), StandardCharsets.US_ASCII))) {
                String line = question.readLine();
                while (line != null && !line.isEmpty()) {
                    line = question.readLine();
                }
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // It was closed, by either side.
            }
        }
    }

    @Test
    void theEndOfInputIsTheFaultOfTheOneWhoReadIt() {
        assertThat(ended("java.io.DataInputStream", "com.acme.Format"))
                .isEqualTo(DecodeFault.BYTES);
        assertThat(ended("okio.RealBufferedSource", "okhttp3.internal.http1.HeadersReader"))
                .isEqualTo(OUTAGE);
        assertThat(ended("okio.Buffer", "com.google.protobuf.Reader", "io.netty.Any"))
                .isEqualTo(DecodeFault.BYTES);
        assertThat(ended("okio.Buffer", "com.acme.Format")).isEqualTo(DecodeFault.UNCLEAR);
    }

    /** The first is where it was thrown. */
    private static DecodeFault ended(String... classes) {
        EOFException thrown = new EOFException();
        thrown.setStackTrace(
                Arrays.stream(classes)
                        .map(it -> new StackTraceElement(it, "read", null, -1))
                        .toArray(StackTraceElement[]::new));
        return wrapped(thrown);
    }

    @Test
    void whatCanBeEitherIsUnclear() {
        assertThat(wrapped(new IOException("something"))).isEqualTo(DecodeFault.UNCLEAR);
        assertThat(DecodeFault.of(new NoClassDefFoundError("of a jar")))
                .isEqualTo(DecodeFault.UNCLEAR);
    }

    @Test
    void aCircleOfCausesEnds() {
        RuntimeException one = new RuntimeException("one");
        RuntimeException other = new RuntimeException("other", one);
        one.initCause(other);

        assertThat(DecodeFault.of(one)).isEqualTo(DecodeFault.BYTES);
    }
}
