package dev.envelope.app.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Classes that a JVM finds laid out at its start, in a file beside the program's jars. {@code
 * bin/envelope prepare} makes it, and writes beside it what it is for.
 *
 * @param launcher {@code bin/envelope} of the folder that the program was unpacked to
 */
public record SharedClasses(Path launcher) {

    private static final String LAUNCHER = "envelope.launcher";

    /** Those of this process; none if it was started in another way. */
    static Optional<SharedClasses> ofThisProcess() {
        return Optional.ofNullable(System.getProperty(LAUNCHER))
                .map(launcher -> new SharedClasses(Path.of(launcher)));
    }

    /**
     * What a file of shared classes that is made now would be good for: this build of Java and
     * these jars, as a JVM compares them.
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

    /** Whether they are there for this build of Java and these jars. */
    boolean areThere() {
        try {
            return Files.exists(folder().resolve("envelope.jsa"))
                    && Files.readString(folder().resolve("envelope.jsa.for"))
                            .endsWith(whatTheyAreFor()); // a JVM may have said something before it
        } catch (IOException e) {
            return false;
        }
    }

    /** Where the jars are. */
    Path folder() {
        return launcher.resolveSibling("../lib").normalize();
    }

    /** What the one process holds that makes them. */
    Path lock() {
        return folder().resolve(".preparing");
    }
}
