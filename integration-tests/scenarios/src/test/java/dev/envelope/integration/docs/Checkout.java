package dev.envelope.integration.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files that were checked out or will be: all but what builds leave behind.
 *
 * <p>Threads: immutable.
 */
public final class Checkout {

    /** Its folder. */
    public static final Path ROOT = root();

    private static final Set<String> SKIPPED = Set.of(".git", ".idea", "target", "node_modules");

    private Checkout() {}

    /** Every file whose name ends so. */
    public static List<Path> files(String suffix) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(
                    ROOT,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(
                                Path folder, BasicFileAttributes attributes) {
                            boolean skip =
                                    folder.getFileName() != null
                                            && SKIPPED.contains(folder.getFileName().toString());
                            return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(
                                Path file, BasicFileAttributes attributes) {
                            if (file.toString().endsWith(suffix)) {
                                files.add(file);
                            }
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files.stream().sorted().collect(Collectors.toList());
    }

    public static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its path from the root of the checkout. */
    public static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    /** Tests are started in their module's folder, and IDEs may start them in the checkout's. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("LICENSE"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("not started in a checkout");
        }
        return folder;
    }
}
