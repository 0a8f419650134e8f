package dev.envelope.integration.stack.proxy;

import dev.envelope.integration.stack.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A port of loopback behind which a server stands, and a network between the two that fails as it
 * is told.
 *
 * <p>Where nobody listens behind it, a client is accepted and reset at once.
 *
 * <p>Threads: guarded by this; fault and target are volatile, connections and counts concurrent
 * collections.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int BACKLOG = 200;

    private final String name;
    private final Wire wire;
    private final int port = Ports.free();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<Class<? extends NetworkFault>, LongAdder> landed = new ConcurrentHashMap<>();
    private final LongAdder accepted = new LongAdder();
    private volatile int target;
    private volatile NetworkFault fault = NetworkFault.NONE;
    private @Nullable ServerSocket listener;
    private @Nullable Thread acceptor;

    private FaultProxy(String name, int target, Wire wire) {
        this.name = name;
        this.target = target;
        this.wire = wire;
    }

    /**
     * Listens, and passes on.
     *
     * @param name of its threads
     * @param target the server's port on loopback; it may be started later
     */
    public static FaultProxy start(String name, int target, Wire wire) {
        FaultProxy proxy = new FaultProxy(name, target, wire);
        proxy.listen();
        return proxy;
    }

    /** Where clients find it. */
    public int port() {
        return port;
    }

    /** This is wrong from now on with all connections, and with those to come. */
    public void inject(NetworkFault wrong) {
        injectIntoNew(wrong);
        connections.forEach(each -> each.suffer(wrong));
    }

    /** This is wrong with the connections to come; those that there are go on as before. */
    public void injectIntoNew(NetworkFault wrong) {
        fault = wrong;
        if (wrong instanceof NetworkFault.Refuse) {
            countLanding(wrong);
            hangUp();
        } else {
            listen();
        }
    }

    /** Nothing is wrong any more. */
    public void heal() {
        inject(NetworkFault.NONE);
    }

    /** Resets the connections that there are, once. */
    public void cut() {
        connections.forEach(
                each -> {
                    countLanding(new NetworkFault.Reset());
                    each.reset();
                });
    }

    /** Connections to come go to another server; those that there are stay where they are. */
    public void retarget(int other) {
        target = other;
    }

    /** How many connections there are. */
    public int connections() {
        return connections.size();
    }

    /** How many connections there have been. */
    public long accepted() {
        return accepted.sum();
    }

    /**
     * How often a fault of this kind has done something: once for each connection that it struck,
     * and for each piece that was delayed.
     */
    public long landed(Class<? extends NetworkFault> kind) {
        LongAdder count = landed.get(kind);
        return count == null ? 0 : count.sum();
    }

    private void countLanding(NetworkFault landing) {
        landed.computeIfAbsent(landing.getClass(), it -> new LongAdder()).increment();
    }

    private synchronized void listen() {
        if (listener != null) {
            return;
        }
        try {
            ServerSocket opened = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
            listener = opened;
            Thread thread = new Thread(() -> acceptAll(opened), name + "-proxy");
            thread.setDaemon(true);
            thread.start();
            acceptor = thread;
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy of " + name + " can't listen", e);
        }
    }

    /** Returns when nobody listens any more: the port is given back by the thread that waits. */
    private void hangUp() {
        Thread waiting = stopListening();
        if (waiting != null) {
            try {
                waiting.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized @Nullable Thread stopListening() {
        Thread waiting = acceptor;
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        listener = null;
        acceptor = null;
        return waiting;
    }

    private void acceptAll(ServerSocket listening) {
        while (true) {
            Socket client;
            try {
                client = listening.accept();
            } catch (IOException closed) {
                return;
            }
            accepted.increment();
            connect(client);
        }
    }

    private void connect(Socket client) {
        try {
            // A connect on loopback is answered at once, if only by a refusal.
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            take(client, server);
        } catch (IOException nobodyThere) {
            try {
                client.setSoLinger(true, 0);
                client.close();
            } catch (IOException goneToo) {
                // The client was faster.
            }
        }
    }

    private synchronized void take(Socket client, Socket server) {
        ProxiedConnection connection =
                new ProxiedConnection(
                        client,
                        server,
                        wire.open(),
                        fault,
                        this::countLanding,
                        connections::remove);
        connections.add(connection);
        connection.start(name + "-proxy-" + accepted.sum());
        if (listener == null) {
            connection.reset(); // it was accepted while we were being closed
        }
    }

    /** Listens no more, and resets what there is. */
    @Override
    public void close() {
        hangUp();
        connections.forEach(ProxiedConnection::reset);
    }
}
