package dev.envelope.integration.stack;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * The programs of Postgres for this machine, unpacked once from the archive on the class path.
 *
 * <p>They stay in the build folder, named by the archive's digest, until the next {@code mvn
 * clean}.
 *
 * <p>Threads: immutable; processes that unpack at the same time do not disturb each other.
 */
final class PostgresBinaries {

    /** The system property that names another folder to unpack into. */
    static final String PROPERTY = "envelope.postgres.binaries";

    private static final int OWNER_MAY_EXECUTE = 0100;

    private final Path folder;

    private PostgresBinaries(Path folder) {
        this.folder = folder;
    }

    /** Unpacks them, if that has not been done before. */
    static PostgresBinaries unpacked() {
        try {
            byte[] archive = archive();
            Path parent = ModuleFolder.locate(PROPERTY, "target/postgres");
            Path folder = parent.resolve(digest(archive));
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(parent);
                publish(unpack(archive, parent), folder);
            }
            return new PostgresBinaries(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("could not unpack Postgres", e);
        }
    }

    /** The path of one of its programs. */
    Path program(String name) {
        return folder.resolve("bin").resolve(name);
    }

    private static byte[] archive() throws IOException {
        String name = "/postgres-" + system() + "-" + architecture() + ".txz";
        try (InputStream stream = PostgresBinaries.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException(
                        "no Postgres for this machine on the class path: " + name);
            }
            return stream.readAllBytes();
        }
    }

    private static String system() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        return name.startsWith("mac") ? "darwin" : name;
    }

    private static String architecture() {
        String name = System.getProperty("os.arch", "");
        return name.equals("aarch64") ? "arm_64" : "x86_64";
    }

    private static String digest(byte[] archive) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(archive);
            return HexFormat.of().formatHex(sum, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static Path unpack(byte[] archive, Path parent) throws IOException {
        Path target = Files.createTempDirectory(parent, "unpacking-");
        // A temporary folder is closed to others, but the server may have to run as another user.
        permit(target);
        try (TarArchiveInputStream entries =
                new TarArchiveInputStream(
                        new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            for (TarArchiveEntry entry = entries.getNextEntry();
                    entry != null;
                    entry = entries.getNextEntry()) {
                unpack(entry, entries, target);
            }
        }
        return target;
    }

    private static void unpack(TarArchiveEntry entry, InputStream content, Path target)
            throws IOException {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
            throw new IOException("entry outside of the archive: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.resolveSibling(".").normalize());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            Files.createLink(path, target.resolve(entry.getLinkName()));
        } else {
            Files.copy(content, path);
            if ((entry.getMode() & OWNER_MAY_EXECUTE) != 0) {
                permit(path);
            }
        }
    }

    private static void permit(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void publish(Path unpacked, Path folder) throws IOException {
        try {
            Files.move(unpacked, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException raced) {
            // Somebody else was faster, and theirs is as good; ours stays aside until the next
            // clean.
            if (!Files.isDirectory(folder)) {
                throw raced;
            }
        }
    }
}
