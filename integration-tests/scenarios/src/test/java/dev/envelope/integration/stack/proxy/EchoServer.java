package dev.envelope.integration.stack.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends back what it gets, and counts it.
 *
 * <p>Threads: thread-safe (atomics).
 */
final class EchoServer implements AutoCloseable {

    private final ServerSocket listener;
    private final Thread acceptor;
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    EchoServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        acceptor = start(this::acceptAll);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** All bytes of all connections. */
    int received() {
        return received.get();
    }

    /** How many connections have ended, in whatever way. */
    int ended() {
        return ended.get();
    }

    private void acceptAll() {
        while (true) {
            try {
                Socket client = listener.accept();
                Thread unused = start(() -> echo(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void echo(Socket client) {
        try (client) {
            byte[] piece = new byte[1 << 16];
            int length = client.getInputStream().read(piece);
            while (length >= 0) {
                received.addAndGet(length);
                client.getOutputStream().write(piece, 0, length);
                length = client.getInputStream().read(piece);
            }
        } catch (IOException reset) {
            // Counted below like any other end.
        } finally {
            ended.incrementAndGet();
        }
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "echo");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        try {
            acceptor.join(); // the port is given back by the thread that waits
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
