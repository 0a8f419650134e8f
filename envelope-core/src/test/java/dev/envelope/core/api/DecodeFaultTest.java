package dev.envelope.core.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Int64Value;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.charset.MalformedInputException;
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
    }

    private static DecodeFault wrapped(Throwable cause) {
        return DecodeFault.of(new SerializationException("by a deserializer", cause));
    }

    @Test
    void theNetworkATimeOutAndWhatIsRetriableAreAnOutage() {
        assertThat(wrapped(new ConnectException("refused"))).isEqualTo(DecodeFault.OUTAGE);
        assertThat(wrapped(new IOException("post", new UnknownHostException("registry"))))
                .isEqualTo(DecodeFault.OUTAGE);
        assertThat(wrapped(new SocketTimeoutException("read"))).isEqualTo(DecodeFault.OUTAGE);
        assertThat(wrapped(new HttpTimeoutException("read"))).isEqualTo(DecodeFault.OUTAGE);
        assertThat(DecodeFault.of(new TimeoutException("no answer"))).isEqualTo(DecodeFault.OUTAGE);
        assertThat(DecodeFault.of(new UnavailableException("said by a format of one's own")))
                .isEqualTo(DecodeFault.OUTAGE);
    }

    @Test
    void anAnswerThatIsNoneIsAnOutageAndOneThatSaysNoIsUnclear() {
        for (int status : new int[] {401, 403, 429, 500, 502, 503, 504}) {
            assertThat(wrapped(new AnswerException(status))).isEqualTo(DecodeFault.OUTAGE);
        }
        for (int status : new int[] {404, 409, 422}) {
            assertThat(wrapped(new AnswerException(status))).isEqualTo(DecodeFault.UNCLEAR);
        }
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
