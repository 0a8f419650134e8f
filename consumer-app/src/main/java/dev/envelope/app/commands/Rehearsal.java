package dev.envelope.app.commands;

import dev.envelope.app.commands.options.Output;
import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.prepare.SharedClasses;
import dev.envelope.app.process.ConsumerProcess;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.wiring.ApplicationWiring;
import dev.envelope.app.wiring.EngineWiring;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Telemetry;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.store.place.DividedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
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
 * Starts the program without servers, and ends it, so that the classes it has loaded can be
 * archived for later starts.
 */
final class Rehearsal {

    /** Port 9 is the discard protocol; usually nothing listens there. */
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

    /** A class from each jar of which more is loaded once servers answer, or somebody asks. */
    private static final List<String> LOADED_LATER =
            List.of(
                    ConsumerProcess.class.getName(),
                    EnvelopeConsumer.class.getName(),
                    DividedStore.class.getName(),
                    KafkaConsumer.class.getName(),
                    "org.postgresql.Driver", // by name: only the store knows them
                    "com.zaxxer.hikari.HikariDataSource",
                    "tools.jackson.core.JsonParser",
                    "tools.jackson.databind.ObjectMapper",
                    "com.fasterxml.jackson.annotation.JsonProperty",
                    "org.eclipse.jetty.server.Server",
                    "org.eclipse.jetty.http.HttpParser",
                    "org.eclipse.jetty.io.EndPoint",
                    "org.eclipse.jetty.util.Callback");

    private static final String CLASS = ".class";

    private Rehearsal() {}

    @Command(
            name = "rehearse",
            hidden = true,
            header = "Load what a run loads, and print what for; see bin/envelope prepare.",
            footer = "  envelope rehearse")
    static void rehearse(@Mixin Output output) throws IOException, InterruptedException {
        LogLevels.silence(); // no server answers, as intended
        Path file = Files.createTempFile("envelope-rehearsal", ".properties");
        try {
            Files.writeString(file, SETTINGS, StandardCharsets.UTF_8);
            // Environment variables would take precedence over the file, and may name real servers.
            Surroundings surroundings = Surroundings.ofThisProcess(Map.of());
            Settings settings = new ConfigLoader(surroundings).load(file, List.of());
            start(settings);
            engine(settings);
            LOADED_LATER.forEach(Rehearsal::loadWholeJar);
            // A class and a lambda for each error: the first response needs them. The first log-in
            // normalizes its password.
            var unused =
                    List.of(Errors.values(), Normalizer.normalize("\u00e4", Normalizer.Form.NFKC));
        } finally {
            Files.deleteIfExists(file);
        }
        output.out().print(SharedClasses.whatTheyAreFor());
    }

    private static void start(Settings settings) throws InterruptedException {
        try {
            new ConsumerProcess(settings, () -> settings).run();
            throw new IllegalStateException("a server answered");
        } catch (UnreachableException asMeant) {
            // There are no servers.
        }
    }

    private static void engine(Settings settings) throws InterruptedException {
        ConsumerSettings engine = EngineWiring.of(settings, Instance.name());
        ApplicationDatabase database = ApplicationDatabase.of(settings, Instance.name());
        try (HandlerSpec<?, ?> spec = HandlerWiring.resolve(settings);
                DividedStore store = database.open(Instance.startId())) {
            EnvelopeApplication application =
                    new EnvelopeApplication(
                            ApplicationWiring.parts(
                                    settings,
                                    engine,
                                    spec,
                                    store,
                                    ApplicationWiring.outputs(settings, spec),
                                    Telemetry.NONE));
            application.start();
            var unused = new CountDownLatch(1).await(1, TimeUnit.SECONDS); // it runs meanwhile
            application.close(Duration.ofSeconds(1));
        }
    }

    /** Loads all classes of the jar that contains this one; a folder is skipped. */
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

    /** Empty for a class that needs an optional library which is not there. */
    private static Optional<Class<?>> load(String name) {
        try {
            return Optional.of(Class.forName(name, false, Rehearsal.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError asMayBe) {
            return Optional.empty();
        }
    }
}
