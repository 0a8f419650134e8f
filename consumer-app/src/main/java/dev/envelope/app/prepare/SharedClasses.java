package dev.envelope.app.prepare;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class data sharing archive, a file beside the program's jars that speeds up the start of a
 * JVM. {@code bin/envelope prepare} creates it, and a file beside it that says what it is valid
 * for.
 *
 * @param launcher {@code bin/envelope} of the folder that the program was unpacked to
 */
public record SharedClasses(Path launcher) {

    private static final String LAUNCHER = "envelope.launcher";

    /** The archive of this process; none if it was not started by the launcher. */
    static Optional<SharedClasses> ofThisProcess() {
        return Optional.ofNullable(System.getProperty(LAUNCHER))
                .map(launcher -> new SharedClasses(Path.of(launcher)));
    }

    /**
     * What an archive that is created now is valid for: this build of Java and these jars, by what
     * a JVM compares.
     */
    public static String whatTheyAreFor() {
        return Stream.concat(
                        Stream.of("java.vm.vendor", "java.vm.version").map(System::getProperty),
                        Stream.of(
                                        System.getProperty("java.class.path", "")
                                                .split(File.pathSeparator))
                                .map(SharedClasses::described))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String described(String jar) {
        File file = new File(jar);
        return "%s %d %d".formatted(jar, file.length(), file.lastModified());
    }

    /** Whether there is an archive for this build of Java and these jars. */
    boolean areThere() {
        try {
            return Files.exists(folder().resolve("envelope.jsa"))
                    && Files.readString(folder().resolve("envelope.jsa.for"))
                            .endsWith(whatTheyAreFor()); // a JVM may print something before it
        } catch (IOException e) {
            return false;
        }
    }

    /** The folder of the jars. */
    Path folder() {
        return launcher.resolveSibling("../lib").normalize();
    }

    /** The file that is locked by the process that creates the archive. */
    Path lock() {
        return folder().resolve(".preparing");
    }
}
