package dev.envelope.integration.stack.proxy;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection and ours to the server, and the two threads that carry bytes between them.
 *
 * <p>Threads: guarded by this; the counts and flags are atomic or volatile.
 */
final class ProxiedConnection {

    private static final int PIECE = 16 << 10;

    private final Socket client;
    private final Socket server;
    private final Wire.Dialogue dialogue;
    private final Consumer<NetworkFault> landing;
    private final Consumer<ProxiedConnection> ended;
    private final AtomicInteger open = new AtomicInteger(2);
    private final Way toServer = new Way(Direction.TO_SERVER);
    private final Way toClient = new Way(Direction.TO_CLIENT);
    private volatile Spell spell;
    private volatile @Nullable Spell losingReply;

    /** One direction: what has gone that way, in all. */
    private record Way(Direction direction, AtomicLong bytes) {
        Way(Direction direction) {
            this(direction, new AtomicLong());
        }
    }

    /**
     * A fault, from the moment in which it began.
     *
     * <p>Threads: immutable, but for a flag that is only ever set.
     */
    private static final class Spell {

        final NetworkFault fault;
        final long sent;
        final long received;
        final AtomicBoolean landed = new AtomicBoolean();

        Spell(NetworkFault fault, long sent, long received) {
            this.fault = fault;
            this.sent = sent;
            this.received = received;
        }
    }

    /**
     * @param landing told when a fault does something to this connection
     * @param ended told when both sides are closed
     */
    ProxiedConnection(
            Socket client,
            Socket server,
            Wire.Dialogue dialogue,
            NetworkFault fault,
            Consumer<NetworkFault> landing,
            Consumer<ProxiedConnection> ended) {
        this.client = client;
        this.server = server;
        this.dialogue = dialogue;
        this.landing = landing;
        this.ended = ended;
        this.spell = new Spell(fault, 0, 0);
    }

    void start(String name) {
        thread(name + "-to-server", () -> pump(client, server, toServer));
        thread(name + "-to-client", () -> pump(server, client, toClient));
        begin(spell);
    }

    private static void thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** From now on this is wrong with it. */
    void suffer(NetworkFault fault) {
        Spell before;
        Spell now = new Spell(fault, toServer.bytes.get(), toClient.bytes.get());
        synchronized (this) {
            before = spell;
            spell = now;
            notifyAll();
        }
        if (before.fault instanceof NetworkFault.BlackHole && before.landed.get()) {
            reset(); // what was swallowed would be missing in the middle
        } else {
            begin(now);
        }
    }

    /** What a fault does before anything is sent. */
    private void begin(Spell now) {
        if (now.fault instanceof NetworkFault.Reset) {
            land(now);
            reset();
        } else if (now.fault instanceof NetworkFault.HalfClose half) {
            land(now);
            shutOutput(half.direction() == Direction.TO_SERVER ? server : client);
        }
    }

    /** Closes both sides with RST. */
    void reset() {
        abort(client);
        abort(server);
        synchronized (this) {
            notifyAll();
        }
    }

    private void land(Spell now) {
        if (now.landed.compareAndSet(false, true) || now.fault instanceof NetworkFault.Delay) {
            landing.accept(now.fault);
        }
    }

    private void pump(Socket from, Socket to, Way way) {
        byte[] piece = new byte[PIECE];
        try {
            int length = from.getInputStream().read(piece);
            while (length >= 0) {
                carry(piece, length, to, way);
                length = from.getInputStream().read(piece);
            }
            awaitEndOfHold();
            shutOutput(to);
        } catch (IOException broken) {
            reset(); // as the other side would see it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reset();
        } finally {
            if (open.decrementAndGet() == 0) {
                close(client);
                close(server);
                ended.accept(this);
            }
        }
    }

    private void carry(byte[] piece, int length, Socket to, Way way)
            throws IOException, InterruptedException {
        List<String> requests = List.of();
        int replies = 0;
        if (way.direction == Direction.TO_SERVER) {
            requests = dialogue.requests(piece, length);
        } else {
            replies = dialogue.replies(piece, length);
        }
        Spell losing = losingReply;
        if (way.direction == Direction.TO_CLIENT && losing != null) {
            if (replies > 0) {
                land(losing);
                reset();
            }
            return;
        }
        @Nullable Spell held = null;
        while (!client.isClosed()) {
            Spell now = spell;
            long begun = way.direction == Direction.TO_SERVER ? now.sent : now.received;
            Treatment treatment =
                    now.fault.treat(
                            new NetworkFault.Passing(
                                    way.direction, way.bytes.get() - begun, length, requests));
            if (treatment instanceof Treatment.Hold) {
                land(now);
                awaitOther(now, Duration.ofDays(1));
            } else if (treatment instanceof Treatment.Forward forward
                    && !forward.after().isZero()
                    && held != now) {
                land(now);
                held = now;
                awaitOther(now, forward.after());
            } else {
                apply(treatment, now, piece, length, to, way);
                return;
            }
        }
    }

    private void apply(Treatment treatment, Spell now, byte[] piece, int length, Socket to, Way way)
            throws IOException {
        if (treatment instanceof Treatment.Swallow) {
            land(now);
            return;
        }
        int passed = length;
        if (treatment instanceof Treatment.CutAfter cut) {
            land(now);
            passed = Math.min(length, cut.bytes());
        } else if (treatment instanceof Treatment.LoseReply) {
            losingReply = now; // before the request is out
        }
        way.bytes.addAndGet(passed);
        to.getOutputStream().write(piece, 0, passed);
        if (treatment instanceof Treatment.CutAfter) {
            reset();
        }
    }

    /** An end of stream is not seen through a network that lets nothing through. */
    private void awaitEndOfHold() throws InterruptedException {
        Spell now = spell;
        while ((now.fault instanceof NetworkFault.Stall
                        || now.fault instanceof NetworkFault.BlackHole)
                && !client.isClosed()) {
            awaitOther(now, Duration.ofDays(1));
            now = spell;
        }
    }

    private synchronized void awaitOther(Spell now, Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        long left = atMost.toNanos();
        while (spell == now && !client.isClosed() && left > 0) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
            left = deadline - System.nanoTime();
        }
    }

    private static void abort(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closed) {
            return;
        }
        close(socket);
    }

    private static void shutOutput(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException closed) {
            close(socket);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more, whatever it says.
        }
    }
}
