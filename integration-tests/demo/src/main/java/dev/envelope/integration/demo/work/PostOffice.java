package dev.envelope.integration.demo.work;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.envelope.integration.stack.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The server that letters are posted to. It knows the number of the last letter to each person, so
 * it sees what is missing, out of order, or comes again.
 *
 * <p>Threads: guarded by this.
 */
final class PostOffice implements AutoCloseable {

    static final Duration OUT = Duration.ofSeconds(8);

    private static final int THREADS = 32;
    private static final int MOST_WRONG = 5;

    enum State {
        OPEN,
        BUSY,
        AWAY
    }

    /**
     * What has arrived.
     *
     * @param refused letters that were never taken
     * @param wrong what must not be, in words; the first few
     */
    record Books(long letters, long repeats, long refused, List<String> wrong) {}

    private final InetSocketAddress address =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free());
    private final ExecutorService threads =
            Executors.newFixedThreadPool(
                    THREADS,
                    task -> {
                        Thread thread = new Thread(task, "demo-post-office");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final Map<String, Integer> last = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();
    private HttpServer server;
    private State state = State.OPEN;
    private long until;
    private long letters;
    private long repeats;
    private boolean refusesNext;

    PostOffice() {
        server = open();
    }

    private HttpServer open() {
        try {
            HttpServer opened = HttpServer.create(address, 0);
            opened.setExecutor(threads);
            opened.createContext("/letters", this::answer);
            opened.start();
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException("the post office can't be opened", e);
        }
    }

    String url() {
        return "http://127.0.0.1:" + address.getPort() + "/letters";
    }

    /** Says 503 to everything for a while, and to come back in a second. */
    synchronized void isBusy() {
        state = State.BUSY;
        until = System.nanoTime() + OUT.toNanos();
    }

    /** Accepts no connections for a while. */
    synchronized void isAway() {
        if (state != State.AWAY) {
            server.stop(0);
        }
        state = State.AWAY;
        until = System.nanoTime() + OUT.toNanos();
    }

    /** The next letter is one that it will never take. */
    synchronized void refuse() {
        refusesNext = true;
    }

    /** Opens again, if it is time; how it is now. */
    synchronized State state() {
        if (state != State.OPEN && until - System.nanoTime() <= 0) {
            isOpen();
        }
        return state;
    }

    synchronized void isOpen() {
        if (state == State.AWAY) {
            server = open();
        }
        state = State.OPEN;
    }

    /** Seconds until it opens again. */
    synchronized long left() {
        return Math.max(0, Duration.ofNanos(until - System.nanoTime()).toSeconds() + 1);
    }

    synchronized Books books() {
        return new Books(letters, repeats, refused.size(), List.copyOf(wrong));
    }

    /** Whether the last letter to each person is there, or was refused. */
    synchronized boolean hasAll(Map<String, Integer> written) {
        return last.equals(written);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String number =
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String person = exchange.getRequestHeaders().getFirst("Envelope-Key");
            int status = judge(person, Integer.parseInt(number));
            if (status == 503) {
                exchange.getResponseHeaders().set("Retry-After", "1");
            }
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private synchronized int judge(String person, int number) {
        if (state != State.OPEN) {
            return 503;
        }
        int before = last.getOrDefault(person, 0);
        String letter = person + "/" + number;
        if (number > before + 1 && wrong.size() < MOST_WRONG) {
            wrong.add("letter %d to %s came after %d".formatted(number, person, before));
        }
        last.put(person, Math.max(number, before));
        if (refusesNext && number > before) {
            refusesNext = false;
            refused.add(letter);
        }
        if (refused.contains(letter)) {
            return 422;
        } else if (number > before) {
            letters++;
        } else {
            repeats++;
        }
        return 204;
    }

    @Override
    public synchronized void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
