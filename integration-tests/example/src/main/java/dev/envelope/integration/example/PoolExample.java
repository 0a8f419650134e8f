package dev.envelope.integration.example;

import dev.envelope.core.WorkerThreads;
import dev.envelope.core.workers.IndependentPool;
import dev.envelope.core.workers.IndependentPool.Shape;
import dev.envelope.core.workers.PoolFullException;
import dev.envelope.core.workers.Worker;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** A pool of connections to a server that answers a line with a line. Threads: stateless. */
public final class PoolExample {

    private PoolExample() {}

    // region pool
    /** Has a connection of its own. If that breaks it dies, and the next one has a new one. */
    static final class Asking implements Worker<String, String>, AutoCloseable {

        private final Socket socket = new Socket();

        Asking(InetSocketAddress server) throws IOException {
            socket.connect(server, 5_000);
            socket.setSoTimeout(5_000); // a worker that hangs is not replaced
        }

        @Override
        public String handle(String question) throws IOException {
            socket.getOutputStream().write((question + "\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader answers =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String answer = answers.readLine();
            if (answer == null) {
                throw new EOFException("the server has hung up");
            }
            return answer;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Four connections, with up to ten questions waiting for each. */
    public static IndependentPool<String, String> start(InetSocketAddress server) throws Exception {
        Shape shape =
                new Shape(
                        "asks the server",
                        4, // workers; add() and remove() change that while they run
                        10, // messages in the mailbox of each
                        3, // workers may die of a message before its sender is told
                        WorkerThreads.PLATFORM.factory("asking")); // or VIRTUAL
        return IndependentPool.start(shape, Asking::new, server);
    }

    /** Asks a question, unless everybody is busy. */
    public static CompletableFuture<String> ask(
            IndependentPool<String, String> pool, String question) {
        try {
            return pool.ask(question);
        } catch (PoolFullException e) {
            return CompletableFuture.completedFuture("ask again later");
        }
    }
    // end region
}
