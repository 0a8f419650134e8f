package dev.envelope.integration.stack.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A port of loopback behind which a server stands some time away: each byte arrives half a round
 * trip after it was sent. Unlike with {@link NetworkFault.Delay}, more is sent meanwhile, as in a
 * network that is long and not narrow.
 *
 * <p>Threads: thread-safe (a concurrent set); two threads for each direction of a connection.
 */
public final class DistantPort implements AutoCloseable {

    private static final int PIECE = 64 << 10;
    private static final int MOST_PIECES_UNDER_WAY = 1_024;

    private final ServerSocket listener;
    private final int target;
    private final long oneWayNanos;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** Bytes and when they arrive; no bytes at the end. */
    private record Piece(byte[] bytes, long arrives) {}

    private DistantPort(ServerSocket listener, int target, Duration roundTrip) {
        this.listener = listener;
        this.target = target;
        this.oneWayNanos = roundTrip.dividedBy(2).toNanos();
    }

    /**
     * Listens, and passes on.
     *
     * @param target the server's port on loopback
     */
    public static DistantPort start(int target, Duration roundTrip) {
        try {
            ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
            DistantPort port = new DistantPort(listener, target, roundTrip);
            thread("distant-port", port::acceptAll);
            return port;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where clients find it. */
    public int port() {
        return listener.getLocalPort();
    }

    private void acceptAll() {
        try {
            while (true) {
                connect(listener.accept());
            }
        } catch (IOException closed) {
            close();
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(server);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        carry(client, server);
        carry(server, client);
    }

    private void carry(Socket from, Socket to) {
        BlockingQueue<Piece> underWay = new ArrayBlockingQueue<>(MOST_PIECES_UNDER_WAY);
        thread("distant-port-read", () -> read(from, underWay));
        thread("distant-port-write", () -> write(underWay, to));
    }

    private void read(Socket from, BlockingQueue<Piece> underWay) {
        byte[] buffer = new byte[PIECE];
        try {
            int length;
            do {
                length = read(from, buffer);
                byte[] bytes = Arrays.copyOf(buffer, Math.max(0, length));
                underWay.put(new Piece(bytes, System.nanoTime() + oneWayNanos));
            } while (length > 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A connection that breaks ends, for the other side. */
    private static int read(Socket from, byte[] buffer) {
        try {
            InputStream in = from.getInputStream();
            return in.read(buffer);
        } catch (IOException e) {
            return -1;
        }
    }

    private void write(BlockingQueue<Piece> underWay, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            for (Piece next = underWay.take(); next.bytes.length > 0; next = underWay.take()) {
                for (long left = next.arrives - System.nanoTime();
                        left > 0;
                        left = next.arrives - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                out.write(next.bytes);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(to); // it is gone: what is still under way is of no use
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nobody is accepted any more, and all connections end. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(this::close);
    }
}
