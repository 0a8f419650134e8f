package dev.envelope.integration.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The user that Postgres runs as, since it refuses to run as root.
 *
 * <p>An ordinary user runs it as himself. Root runs it in a user namespace of its own, where root
 * is nobody but still owns its files; where namespaces are forbidden, as in many containers, it
 * runs as the user nobody, who is then given the data folder.
 *
 * <p>Threads: immutable.
 */
enum ServerUser {
    /** As the user who runs this JVM. */
    SELF,
    /** As root, seen as nobody from inside a namespace. */
    NAMESPACE,
    /** As the user nobody. */
    NOBODY;

    private static final int NOBODY_ID = 65534;

    /** The first that is possible here; each is tried by asking who it makes us. */
    static ServerUser find() {
        for (ServerUser user : values()) {
            if (user.isPossible()) {
                return user;
            }
        }
        throw new IllegalStateException(
                "Postgres does not run as root, and neither unshare nor setpriv works here: run as"
                        + " an ordinary user");
    }

    /** The command, run as this user. */
    List<String> command(List<String> command) {
        List<String> line = new ArrayList<>(prefix());
        line.addAll(command);
        return line;
    }

    /** Makes a folder that belongs to this user, with the way to it open. */
    Path ownFolder(Workspace workspace, String name) {
        try {
            Path folder = Files.createDirectory(workspace.folder().resolve(name));
            if (this == NOBODY) {
                Files.setPosixFilePermissions(
                        workspace.folder(), PosixFilePermissions.fromString("rwx--x--x"));
                Files.setAttribute(folder, "unix:uid", NOBODY_ID);
                Files.setAttribute(folder, "unix:gid", NOBODY_ID);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("no data folder for Postgres", e);
        }
    }

    private List<String> prefix() {
        return switch (this) {
            case SELF -> List.of();
            case NAMESPACE -> List.of("unshare", "--user");
            case NOBODY ->
                    List.of(
                            "setpriv",
                            "--reuid=" + NOBODY_ID,
                            "--regid=" + NOBODY_ID,
                            "--clear-groups");
        };
    }

    private boolean isPossible() {
        try {
            Process process =
                    new ProcessBuilder(command(List.of("id", "-u")))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String id =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                            .strip();
            return process.waitFor() == 0 && !id.equals("0");
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
