package dev.envelope.integration.stack;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archives of the classes in jars, one for the program and one for the broker, with which a JVM
 * starts with half of the work: tests start hundreds of them. Who needs one first makes it, below
 * the build's folders; other processes do without meanwhile.
 *
 * <p>A JVM takes an archive only if its class path begins with that of the archive, and a folder
 * can't be archived. So libraries come first, then the jars of this build, then its folders.
 *
 * <p>Threads: guarded by the class, and among processes by a lock of the file system.
 */
final class SharedClasses {

    /** Set where many JVMs are started. */
    private static final String PROPERTY = "stack.shared.classes";

    /** Has a JVM of it list the classes that it loads. */
    static final String LIST = "-XX:DumpLoadedClassList=";

    /** Starts what the archive is for with {@link #LIST} and the file, and ends it. */
    @FunctionalInterface
    interface Rehearsal {

        void list(Path classes) throws IOException, InterruptedException;
    }

    private static final Logger log = LoggerFactory.getLogger(SharedClasses.class);
    private static final int MADE_WITHIN_SECONDS = 120;
    private static boolean hasFailed;

    private SharedClasses() {}

    static boolean areWanted() {
        return Boolean.getBoolean(PROPERTY);
    }

    /** This class path, libraries first, and folders last. */
    static String ordered(String classPath) {
        return join(
                Stream.concat(
                        jarsOf(classPath), entries(classPath).filter(entry -> !isJar(entry))));
    }

    private static String jars(String classPath) {
        return join(jarsOf(classPath));
    }

    private static Stream<String> jarsOf(String classPath) {
        return Stream.concat(
                entries(classPath).filter(it -> isJar(it) && !isBuilt(it)), built(classPath));
    }

    private static Stream<String> built(String classPath) {
        return entries(classPath).filter(it -> isJar(it) && isBuilt(it));
    }

    private static String join(Stream<String> entries) {
        return entries.collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isJar(String entry) {
        return entry.endsWith(".jar");
    }

    private static boolean isBuilt(String entry) {
        return Path.of(entry).startsWith(ModuleFolder.checkout());
    }

    private static Stream<String> entries(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1));
    }

    /** A JVM refuses an archive of a jar that has changed since. */
    private static List<Long> times(Stream<String> jars) {
        return jars.map(it -> new File(it).lastModified()).toList();
    }

    /** What has a JVM of this class path use the archive; nothing if there is none. */
    static synchronized List<String> options(String java, String classPath, Rehearsal rehearsal) {
        String jars = "shared-%08x".formatted((java + jars(classPath)).hashCode());
        Path archive =
                ModuleFolder.checkout()
                        .resolve("integration-tests/stack/target")
                        .resolve("%s-%08x.jsa".formatted(jars, times(built(classPath)).hashCode()));
        if (!hasFailed && !Files.exists(archive)) {
            make(archive, jars, java, classPath, rehearsal);
        }
        return Files.exists(archive)
                ? List.of(
                        "-XX:SharedArchiveFile=" + archive,
                        "-Xlog:cds=off",
                        "-Xlog:cds+dynamic=off")
                : List.of();
    }

    private static void make(
            Path archive, String jars, String java, String classPath, Rehearsal rehearsal) {
        Path lockFile = archive.resolveSibling(jars + ".lock");
        Path classes = archive.resolveSibling(archive.getFileName() + ".classes");
        Path unfinished = archive.resolveSibling(archive.getFileName() + ".unfinished");
        try (FileChannel channel =
                        FileChannel.open(
                                lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock != null && !Files.exists(archive)) {
                deleteFormer(archive, jars);
                rehearsal.list(classes);
                run(
                        java,
                        "-XX:SharedClassListFile=" + classes,
                        jars(classPath),
                        List.of("-Xshare:dump", "-XX:SharedArchiveFile=" + unfinished));
                Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException | IllegalStateException e) { // without it, all is slower
            hasFailed = true;
            log.warn("the archive of classes can't be made", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those of the same jars before they were built anew; who runs with one keeps it. */
    private static void deleteFormer(Path archive, String jars) throws IOException {
        try (DirectoryStream<Path> former =
                Files.newDirectoryStream(archive.getParent(), jars + "-*")) {
            for (Path file : former) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Loads what a start of the program loads. */
    static Rehearsal ofProgram(String java, String classPath) {
        return classes ->
                run(java, LIST + classes, classPath, List.of("dev.envelope.app.Main", "rehearse"));
    }

    private static void run(String java, String option, String classPath, List<String> rest)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(java, "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        line.add(option);
        line.addAll(List.of("-cp", classPath));
        line.addAll(rest);
        Process process =
                new ProcessBuilder(line)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (!process.waitFor(MADE_WITHIN_SECONDS, TimeUnit.SECONDS)
                    || process.exitValue() != 0) {
                throw new IOException("this has failed: " + String.join(" ", line));
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
