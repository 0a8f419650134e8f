package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.cluster.Measures;
import java.util.List;

/**
 * What one process holds at a moment.
 *
 * <p>Threads: immutable.
 *
 * @param connections that the database server knows of
 */
record Holdings(Measures measures, int connections) {

    // Threads and sockets of clients come and go with the connections that they make anew.
    private static final long THREADS = 6;
    private static final long OPEN_FILES = 16;
    private static final long CONNECTIONS = 0;
    private static final long HEAP_MIB = 40;
    private static final long MIB = 1 << 20;

    static Holdings of(ConsumerProcess process, Grounds grounds) {
        return new Holdings(process.measure(), grounds.connections(process));
    }

    /** Whether a process that was there all the time holds what it held then. */
    static List<Check> compare(Holdings before, Holdings after) {
        return List.of(
                Check.growth(
                        "leak-thread",
                        "threads of the process that lived through it all",
                        before.measures.threads(),
                        after.measures.threads(),
                        THREADS),
                Check.growth(
                        "leak-connection",
                        "its connections to the database",
                        before.connections,
                        after.connections,
                        CONNECTIONS),
                Check.growth(
                        "leak-file",
                        "its open files and sockets",
                        before.measures.openFiles(),
                        after.measures.openFiles(),
                        OPEN_FILES),
                Check.growth(
                        "leak-memory",
                        "MiB that live on its heap, after a collection",
                        before.measures.heapBytes() / MIB,
                        after.measures.heapBytes() / MIB,
                        HEAP_MIB));
    }
}
