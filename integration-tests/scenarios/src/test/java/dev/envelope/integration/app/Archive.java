package dev.envelope.integration.app;

import dev.envelope.integration.docs.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** What {@code mvn package} makes for people to unpack and run. Threads: stateless. */
public final class Archive {

    private Archive() {}

    /** The newest there is; none before the first {@code mvn package}. */
    public static Optional<Path> built() throws IOException {
        Path folder = Checkout.ROOT.resolve("consumer-app/target");
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(it -> it.getFileName().toString().matches("envelope-.*\\.tar\\.gz"))
                    .findFirst();
        }
    }
}
