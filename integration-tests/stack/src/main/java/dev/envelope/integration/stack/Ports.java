package dev.envelope.integration.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback address.
 *
 * <p>They are taken from below the range that the operating system uses for outgoing connections:
 * while a server is down, a client that keeps trying its port could be given that very port as its
 * own, connect to itself, and keep the server from coming back. Processes with neighbouring ids, as
 * those of a test run, take them from different parts of that range: nobody listens yet on a port
 * that was just given away.
 *
 * <p>Threads: thread-safe (a concurrent set).
 */
public final class Ports {

    private static final int FIRST = 15_000;
    private static final int END = 32_000;
    private static final int PARTS = 16;
    private static final int PART = (END - FIRST) / PARTS;
    private static final int OWN = FIRST + (int) (ProcessHandle.current().pid() % PARTS) * PART;
    private static final int ATTEMPTS = 1_000;

    /** Nobody may listen yet on one that was given away. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /** A port that nobody listens on, and that this process has not got before. */
    public static int free() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(OWN, OWN + PART);
            if (isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + OWN + " and " + (OWN + PART));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
