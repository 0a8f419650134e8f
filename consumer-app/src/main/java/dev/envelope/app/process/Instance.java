package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Identifies this process among those of its application. */
public final class Instance {

    private static final String START_ID = UUID.randomUUID().toString();
    private static final int LETTERS = 6;

    private Instance() {}

    /** A unique id of this start; it is not meant for people. */
    public static String startId() {
        return START_ID;
    }

    /**
     * The name of a process that has none in its settings. In containers the host's name and the
     * process id may equal those of another one, so random letters follow.
     */
    public static String name() {
        return host() + "-" + ProcessHandle.current().pid() + "-" + START_ID.substring(0, LETTERS);
    }

    /** The name from the settings; otherwise {@link #name()}. */
    public static String name(Settings settings) {
        return settings.find(OperationKeys.INSTANCE_NAME).orElseGet(Instance::name);
    }

    /** The variable is set in shells and containers, but not in services. */
    private static String host() {
        String told = System.getenv("HOSTNAME");
        if (told != null && !told.isBlank()) {
            return told;
        }
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) { // no Linux
            return fromNetwork();
        }
    }

    private static String fromNetwork() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
