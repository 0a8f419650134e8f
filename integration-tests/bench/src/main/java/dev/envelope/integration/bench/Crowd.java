package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.Workload;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Those who use the page and the API of a program while it works.
 *
 * <p>Threads: some that ask; the others are connections on which nothing happens.
 */
final class Crowd implements AutoCloseable {

    private static final int HANGING = 64;
    private static final int ASKING = 8;
    private static final int PER_SECOND = 200;
    private static final long PAUSE_NANOS = ASKING * 1_000_000_000L / PER_SECOND;
    private static final List<String> QUESTIONS =
            List.of(
                    "/api/status",
                    "/api/partitions",
                    "/api/stuck",
                    "/api/live/now",
                    "/metrics",
                    "/api/keys?key=" + Workload.account(7));

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Socket> hanging = new ArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicLong cpuNanos = new AtomicLong();
    private volatile boolean isClosed;

    private Crowd() {}

    /** Those that the contestant is measured with. */
    static Crowd of(Contestant contestant, int port) throws IOException {
        Crowd crowd = new Crowd();
        if (contestant.equals(Contestant.PROGRAM_STUCK)) {
            crowd.hang(port);
        } else if (contestant.equals(Contestant.PROGRAM_ASKED)) {
            for (int i = 0; i < ASKING; i++) {
                Thread thread = new Thread(() -> crowd.ask(port), "crowd");
                thread.setDaemon(true);
                thread.start();
            }
        }
        return crowd;
    }

    private void hang(int port) throws IOException {
        for (int i = 0; i < HANGING; i++) {
            Socket socket = connect(port);
            hanging.add(socket);
            String half = i % 2 == 0 ? "GET /api/sta" : request("/api/live");
            socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** One connection that is kept; who asks too late does not ask faster to catch up. */
    private void ask(int port) {
        try (Socket socket = connect(port)) {
            OutputStream out = socket.getOutputStream();
            InputStream in = new BufferedInputStream(socket.getInputStream());
            long next = System.nanoTime();
            long used = THREADS.getCurrentThreadCpuTime();
            while (!isClosed) {
                String question = QUESTIONS.get(asked.getAndIncrement() % QUESTIONS.size());
                out.write(request(question).getBytes(StandardCharsets.US_ASCII));
                if (readAnswer(in)) {
                    answered.incrementAndGet();
                }
                long now = THREADS.getCurrentThreadCpuTime();
                cpuNanos.addAndGet(now - used);
                used = now;
                next = Math.max(next + PAUSE_NANOS, System.nanoTime() - PAUSE_NANOS);
                LockSupport.parkNanos(next - System.nanoTime());
            }
        } catch (IOException e) {
            if (!isClosed) {
                throw new IllegalStateException("nobody answers any more", e);
            }
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static String request(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    /** False if it says to come again later. */
    private static boolean readAnswer(InputStream in) throws IOException {
        boolean isAnswer = !line(in).contains(" 429 ");
        int length = 0;
        boolean isChunked = false;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            String header = line.toLowerCase(Locale.ROOT);
            if (header.startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
            isChunked |= header.startsWith("transfer-encoding:") && header.contains("chunked");
        }
        if (!isChunked) {
            in.skipNBytes(length);
            return isAnswer;
        }
        int chunk = Integer.parseInt(line(in), 16);
        while (chunk > 0) {
            in.skipNBytes(chunk + 2L);
            chunk = Integer.parseInt(line(in), 16);
        }
        in.skipNBytes(2);
        return isAnswer;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the connection has ended");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** How many questions were asked. */
    int asked() {
        return asked.get();
    }

    /** How many of them were answered, and not told to come again. */
    int answered() {
        return answered.get();
    }

    /** What asking and reading took, without what answering took. */
    double cpuSeconds() {
        return cpuNanos.get() / 1e9;
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        for (Socket socket : hanging) {
            socket.close();
        }
    }
}
