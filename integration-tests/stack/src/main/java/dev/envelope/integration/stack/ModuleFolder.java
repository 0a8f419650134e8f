package dev.envelope.integration.stack;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The folder of this module in the checkout, seen from the code that runs.
 *
 * <p>Threads: immutable.
 */
final class ModuleFolder {

    private static final String LANDMARK = "broker-classpath";

    private ModuleFolder() {}

    /** The classes of this module: a folder, or the jar. */
    static Path classes() {
        try {
            return Path.of(
                    ModuleFolder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the classes of the local stack are not on disk", e);
        }
    }

    /** What the system property names, or else {@code fallback} below the module's folder. */
    static Path locate(String property, String fallback) {
        return Optional.ofNullable(System.getProperty(property))
                .map(Path::of)
                .orElseGet(() -> find(property).resolve(fallback));
    }

    /** The folder of the whole project. */
    static Path checkout() {
        return Objects.requireNonNull(find(BrokerClassPath.PROPERTY).getParent());
    }

    private static Path find(String property) {
        for (Path folder = classes(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve(LANDMARK))) {
                return folder;
            }
        }
        throw new IllegalStateException(
                classes() + " is not in a checkout: set the system property " + property);
    }
}
