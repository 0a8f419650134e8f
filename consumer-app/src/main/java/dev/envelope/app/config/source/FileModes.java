package dev.envelope.app.config.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Who may read a file that holds a secret. */
public final class FileModes {

    private FileModes() {}

    /** Whether the file's group or everybody may read it; false where files have no such modes. */
    public static boolean othersMayRead(Path file) {
        try {
            Set<PosixFilePermission> modes = Files.getPosixFilePermissions(file);
            return modes.contains(PosixFilePermission.GROUP_READ)
                    || modes.contains(PosixFilePermission.OTHERS_READ);
        } catch (UnsupportedOperationException | IOException e) {
            return false;
        }
    }
}
