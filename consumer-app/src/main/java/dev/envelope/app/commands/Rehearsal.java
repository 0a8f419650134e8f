package dev.envelope.app.commands;

import dev.envelope.app.commands.options.Output;
import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.process.ConsumerProcess;
import dev.envelope.app.process.Instance;
import dev.envelope.app.process.SharedClasses;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.wiring.ApplicationWiring;
import dev.envelope.app.wiring.EngineWiring;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Telemetry;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.protocol.Errors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Does what a start does, with servers that are nowhere, and ends: so that what was loaded on the
 * way can be kept for later starts.
 */
final class Rehearsal {

    /** Port 9 discards, where anybody listens at all. */
    private static final String SETTINGS =
            """
            application.id=rehearsal
            bootstrap.servers=127.0.0.1:9
            topics=rehearsal
            handler=fold
            handler.fold.messages=count()
            store.url=jdbc:postgresql://127.0.0.1:9/rehearsal
            store.connections=1
            http.listen=127.0.0.1:0
            start.timeout=1s
            log.level=error
            """;

    /** Of whose jars a start loads more as soon as servers answer. */
    private static final List<String> SERVER_SIDE =
            List.of(
                    ConsumerProcess.class.getName(),
                    EnvelopeConsumer.class.getName(),
                    Store.class.getName(),
                    KafkaConsumer.class.getName(),
                    "org.postgresql.Driver", // by name: only the store knows them
                    "com.zaxxer.hikari.HikariDataSource");

    private static final String CLASS = ".class";

    private Rehearsal() {}

    @Command(
            name = "rehearse",
            hidden = true,
            header = "Load what a run loads, and print what for; see bin/envelope prepare.",
            footer = "  envelope rehearse")
    static void rehearse(@Mixin Output output) throws IOException, InterruptedException {
        LogLevels.silence(); // that nobody answers is no news here
        Path file = Files.createTempFile("envelope-rehearsal", ".properties");
        try {
            Files.writeString(file, SETTINGS, StandardCharsets.UTF_8);
            // Variables would win over the file: those of a run name servers that are there.
            Surroundings surroundings = Surroundings.ofThisProcess(Map.of());
            Settings settings = new ConfigLoader(surroundings).load(file, List.of());
            start(settings);
            engine(settings);
            SERVER_SIDE.forEach(Rehearsal::loadWholeJar);
            var unused = Errors.values(); // a class and a lambda for each: the first answer asks
        } finally {
            Files.deleteIfExists(file);
        }
        output.out().print(SharedClasses.whatTheyAreFor());
    }

    private static void start(Settings settings) throws InterruptedException {
        try {
            new ConsumerProcess(settings, () -> settings).run();
            throw new IllegalStateException("somebody was there");
        } catch (UnreachableException asMeant) {
            // The servers are nowhere.
        }
    }

    private static void engine(Settings settings) throws InterruptedException {
        ConsumerSettings engine = EngineWiring.of(settings, Instance.name());
        ApplicationDatabase database = ApplicationDatabase.of(settings, Instance.name());
        try (HandlerSpec<?, ?> spec = HandlerWiring.resolve(settings);
                Store store = database.open(Instance.startId())) {
            EnvelopeApplication application =
                    new EnvelopeApplication(
                            ApplicationWiring.parts(settings, engine, spec, store, Telemetry.NONE));
            application.start();
            var unused = new CountDownLatch(1).await(1, TimeUnit.SECONDS); // it gets on meanwhile
            application.close(Duration.ofSeconds(1));
        }
    }

    /** All classes of the jar (or folder, which is passed over) that this one is from. */
    private static void loadWholeJar(String name) {
        String missing = "the program is packed without " + name;
        Class<?> one = load(name).orElseThrow(() -> new IllegalStateException(missing));
        URL place = one.getProtectionDomain().getCodeSource().getLocation();
        Path jar = Path.of(URI.create(place.toString()));
        if (!Files.isRegularFile(jar)) {
            return;
        }
        try (JarFile classes = new JarFile(jar.toFile())) {
            classes.stream()
                    .map(ZipEntry::getName)
                    .filter(it -> it.endsWith(CLASS) && !it.startsWith("META-INF"))
                    .map(it -> it.substring(0, it.length() - CLASS.length()).replace('/', '.'))
                    .forEach(Rehearsal::load);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empty for a class that is for somebody who has a library that we do not use. */
    private static Optional<Class<?>> load(String name) {
        try {
            return Optional.of(Class.forName(name, false, Rehearsal.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError asMayBe) {
            return Optional.empty();
        }
    }
}
