package dev.envelope.app.config.layer;

import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Checks who may read a file that holds a secret. */
public final class FileModes {

    private FileModes() {}

    /**
     * Warns of a file with a secret that others may read.
     *
     * @param shown the file's name in the message
     */
    public static void check(Path file, Object shown, Entry secret, ProblemCollector problems) {
        if (othersMayRead(file)) {
            problems.warning(
                    secret.origin(),
                    secret.key(),
                    "the file " + shown + " may be read by others than its owner",
                    "chmod 600 " + shown);
        }
    }

    private static boolean othersMayRead(Path file) {
        try {
            Set<PosixFilePermission> modes = Files.getPosixFilePermissions(file);
            return modes.contains(PosixFilePermission.GROUP_READ)
                    || modes.contains(PosixFilePermission.OTHERS_READ);
        } catch (UnsupportedOperationException | IOException e) {
            return false; // there are no such modes
        }
    }
}
