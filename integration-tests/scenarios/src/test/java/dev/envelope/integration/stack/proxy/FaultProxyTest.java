package dev.envelope.integration.stack.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.stack.proxy.NetworkFault.BlackHole;
import dev.envelope.integration.stack.proxy.NetworkFault.CutAfter;
import dev.envelope.integration.stack.proxy.NetworkFault.Delay;
import dev.envelope.integration.stack.proxy.NetworkFault.HalfClose;
import dev.envelope.integration.stack.proxy.NetworkFault.LoseReply;
import dev.envelope.integration.stack.proxy.NetworkFault.Refuse;
import dev.envelope.integration.stack.proxy.NetworkFault.Reset;
import dev.envelope.integration.stack.proxy.NetworkFault.Stall;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FaultProxyTest {

    private static final int SILENCE_MILLIS = 150;

    /** Requests and replies are lines. */
    private static final Wire LINES =
            () ->
                    new Wire.Dialogue() {
                        @Override
                        public List<String> requests(byte[] sent, int length) {
                            return text(sent, length).lines().toList();
                        }

                        @Override
                        public int replies(byte[] received, int length) {
                            return (int)
                                    text(received, length).chars().filter(c -> c == '\n').count();
                        }
                    };

    private EchoServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        proxy = FaultProxy.start("echo", server.port(), LINES);
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void withoutAFaultEverythingGoesThroughAndAnEndIsPassedOn() throws IOException {
        try (Socket client = connect()) {
            assertThat(echo(client, "one")).isEqualTo("one");
            client.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
        await(() -> server.ended() == 1 && proxy.connections() == 0);
    }

    @Test
    void aDelayIsSufferedInBothDirections() throws IOException {
        try (Socket client = connect()) {
            echo(client, "quick");
            proxy.inject(new Delay(Duration.ofMillis(60), Duration.ofMillis(5)));
            long begun = System.nanoTime();

            assertThat(echo(client, "late")).isEqualTo("late");

            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(120));
            assertThat(proxy.landed(Delay.class)).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void aStallHoldsEverythingAndLetsItGoWhenItIsOver() throws IOException {
        try (Socket client = connect()) {
            echo(client, "before");
            proxy.inject(new Stall());
            send(client, "held");
            assertSilent(client);
            assertThat(server.received()).isEqualTo("before".length());

            proxy.heal();

            assertThat(receive(client, 4)).isEqualTo("held");
            assertThat(proxy.landed(Stall.class)).isEqualTo(1);
        }
    }

    @Test
    void aStallReadsNoMoreSoThatTheSenderBlocks() throws IOException {
        try (Socket client = connect()) {
            proxy.inject(new Stall());
            AtomicLong sent = new AtomicLong();
            new Thread(() -> sendForEver(client, sent), "sender").start();

            AtomicLong lastSeen = new AtomicLong();
            await(() -> sent.get() > 0 && sent.get() == lastSeen.getAndSet(sent.get()));
            assertThat(server.received()).isZero();
        }
    }

    @Test
    void aBlackHoleAcceptsAndNeverAnswersAndAfterwardsResetsWhoLostSomething() throws IOException {
        proxy.inject(new BlackHole());
        try (Socket client = connect()) {
            send(client, "hello?");
            assertSilent(client);
            assertThat(server.received()).isZero();

            proxy.heal();

            assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class);
        }
        try (Socket client = connect()) {
            assertThat(echo(client, "again")).isEqualTo("again");
        }
        assertThat(proxy.landed(BlackHole.class)).isEqualTo(1);
    }

    @Test
    void aResetStrikesTheConnectionsThereAreAndThoseThatCome() throws IOException {
        try (Socket client = connect()) {
            echo(client, "fine");
            proxy.inject(new Reset());
            assertThatThrownBy(() -> receive(client, 1))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
        try (Socket client = connect()) {
            assertThatThrownBy(() -> echo(client, "x")).isInstanceOf(SocketException.class);
        }
        await(() -> proxy.landed(Reset.class) == 2 && proxy.connections() == 0);
    }

    @Test
    void aRefusalKeepsNewOnesOutAndLeavesTheOthersAlone() throws IOException {
        try (Socket client = connect()) {
            echo(client, "in");
            proxy.inject(new Refuse());
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            assertThat(echo(client, "still in")).isEqualTo("still in");

            proxy.heal();

            try (Socket other = connect()) {
                assertThat(echo(other, "in, too")).isEqualTo("in, too");
            }
        }
        assertThat(proxy.landed(Refuse.class)).isEqualTo(1);
    }

    @Test
    void aHalfCloseEndsOneDirectionAndNotTheOther() throws IOException {
        try (Socket client = connect()) {
            echo(client, "both");
            proxy.inject(new HalfClose(Direction.TO_CLIENT));
            assertThat(client.getInputStream().read()).isEqualTo(-1);

            send(client, "more");

            await(() -> server.received() == 8);
            assertThat(proxy.landed(HalfClose.class)).isEqualTo(1);
        }
    }

    @Test
    void aCutLetsExactlySoManyBytesThrough() throws IOException {
        try (Socket client = connect()) {
            echo(client, "before");
            proxy.inject(new CutAfter(Direction.TO_SERVER, 7));
            send(client, "1234");
            send(client, "56789");
            assertThatThrownBy(() -> receive(client, 9)).isInstanceOf(SocketException.class);
        }
        await(() -> server.ended() == 1);
        assertThat(server.received()).isBetween(6 + 4, 6 + 7); // a reset may overtake the rest
        assertThat(proxy.landed(CutAfter.class)).isEqualTo(1);
    }

    @Test
    void aLostReplyComesToTheServerAndNothingOfItBack() throws IOException {
        try (Socket client = connect()) {
            proxy.inject(new LoseReply("commit"::equals));
            assertThat(echo(client, "begin\n")).isEqualTo("begin\n");
            send(client, "commit\n");
            assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class);
        }
        assertThat(server.received()).isEqualTo("begin\ncommit\n".length());
        assertThat(proxy.landed(LoseReply.class)).isEqualTo(1);
    }

    @Test
    void aFaultForNewConnectionsLeavesTheOthersAlone() throws IOException {
        try (Socket client = connect()) {
            echo(client, "old");
            proxy.injectIntoNew(new BlackHole());
            try (Socket other = connect()) {
                send(other, "new");
                assertSilent(other);
            }
            assertThat(echo(client, "still")).isEqualTo("still");
        }
    }

    @Test
    void aCutResetsWhatThereIsAndIsOver() throws IOException {
        try (Socket client = connect()) {
            echo(client, "one");
            proxy.cut();
            assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class);
        }
        try (Socket client = connect()) {
            assertThat(echo(client, "two")).isEqualTo("two");
        }
    }

    @Test
    void itCanBeSentToAnotherServer() throws IOException {
        try (EchoServer other = new EchoServer()) {
            proxy.retarget(other.port());
            try (Socket client = connect()) {
                echo(client, "other");
            }
            assertThat(other.received()).isEqualTo(5);
            assertThat(server.received()).isZero();
        }
    }

    @Test
    void nobodyBehindItIsLikeAResetAndLeavesNothing() throws IOException {
        server.close();
        try (Socket client = connect()) {
            assertThatThrownBy(() -> echo(client, "x")).isInstanceOf(SocketException.class);
        }
        assertThat(proxy.connections()).isZero();
    }

    @Test
    void closedItEndsItsThreads() throws IOException {
        try (Socket client = connect()) {
            echo(client, "one");
            proxy.inject(new Stall());
            send(client, "held");
            proxy.close();
        }
        await(
                () ->
                        Thread.getAllStackTraces().keySet().stream()
                                .noneMatch(it -> it.getName().startsWith("echo-proxy")));
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        client.setTcpNoDelay(true);
        return client;
    }

    private static String echo(Socket client, String text) throws IOException {
        send(client, text);
        return receive(client, text.length());
    }

    private static void send(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void sendForEver(Socket client, AtomicLong sent) {
        try {
            while (true) {
                client.getOutputStream().write(new byte[1 << 16]);
                sent.incrementAndGet();
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static String receive(Socket client, int length) throws IOException {
        byte[] bytes = client.getInputStream().readNBytes(length);
        return text(bytes, bytes.length);
    }

    private static String text(byte[] bytes, int length) {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }

    private static void assertSilent(Socket client) throws IOException {
        client.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(() -> client.getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(0);
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(condition);
    }
}
