package dev.envelope.integration.stack;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The main class of the broker's process: formats the storage where that is not done yet, then runs
 * the broker.
 *
 * <p>One JVM does both, which saves the start of a second one. The broker's classes are found by
 * name, because they stand on no class path of ours, only on that process' own.
 *
 * <p>Threads: immutable.
 */
final class BrokerMain {

    private static final String FORMATTED = "meta.properties";

    private BrokerMain() {}

    /**
     * Runs until the broker has shut down.
     *
     * @param arguments the broker's properties file, its storage folder, the cluster's id
     */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        String properties = arguments[0];
        Path storage = Path.of(arguments[1]);
        if (!Files.exists(storage.resolve(FORMATTED))) {
            format(properties, arguments[2]);
        }
        Class.forName("kafka.Kafka")
                .getMethod("main", String[].class)
                .invoke(null, (Object) new String[] {properties});
    }

    private static void format(String properties, String clusterId)
            throws ReflectiveOperationException {
        String[] line = {"format", "--cluster-id", clusterId, "--config", properties};
        Object code =
                Class.forName("kafka.tools.StorageTool")
                        .getMethod("execute", String[].class, PrintStream.class)
                        .invoke(null, line, System.out);
        if (!Integer.valueOf(0).equals(code)) {
            throw new IllegalStateException("formatting the storage ended with " + code);
        }
    }
}
