package dev.envelope.app.commands.remote;

import dev.envelope.app.commands.options.SettingsOptions;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.JsonNode;

/** The options that name a process, and how its answer is printed. Threads: one thread. */
public final class RemoteOptions extends SettingsOptions {

    private static final String TOKEN_VARIABLE = "ENVELOPE_HTTP_TOKEN";

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The properties file that the process was started with.")
    private @Nullable Path file;

    @Option(
            names = "--url",
            paramLabel = "URL",
            converter = Address.class,
            description =
                    "Where it listens, if not where the file says. Without a file the token is"
                            + " taken from "
                            + TOKEN_VARIABLE
                            + ".")
    private @Nullable URI url;

    @Option(names = "--json", description = "Print what it answers, as JSON.")
    private boolean json;

    @Override
    public boolean isJson() {
        return json;
    }

    /** The answer of the process to a GET, a 404 included. */
    public JsonNode get(String path) {
        return remote().get(path).json();
    }

    /** The same for a POST. */
    public JsonNode post(String path) {
        return remote().post(path).json();
    }

    /** The answer of the process, if {@code --url} names one; otherwise what is in the database. */
    public <C extends Catalog> Object read(
            String path, Function<OperatorStore, C> open, Function<C, Object> document) {
        return isOfOneProcess() ? get(path) : inDatabase(open, document);
    }

    /** The process that the options name. */
    public Remote remote() {
        Optional<Settings> settings = settings();
        if (settings.isEmpty() && url == null) {
            throw new RefusedStartException(
                    List.of(
                            "which process? say -c with its properties file, or --url with where"
                                    + " it listens"));
        }
        Optional<Secret> token =
                settings.flatMap(it -> it.find(OperationKeys.HTTP_TOKEN))
                        .or(
                                () ->
                                        Optional.ofNullable(System.getenv(TOKEN_VARIABLE))
                                                .map(Secret::new));
        URI given = url;
        return new Remote(given == null ? address(settings.orElseThrow()) : given, token);
    }

    /** Whether a file or an address is given. */
    public boolean isOfSome() {
        return url != null || file != null;
    }

    /** Whether {@code --url} names the process. Otherwise the file does. */
    public boolean isOfOneProcess() {
        return url != null || file == null;
    }

    /** The settings of the file, if one is given. */
    public Optional<Settings> settings() {
        return Optional.ofNullable(file).map(this::load);
    }

    @Override
    public Settings load() {
        return settings().orElseThrow();
    }

    private static URI address(Settings settings) {
        return settings.get(OperationKeys.HTTP_LISTEN)
                .map(RemoteOptions::address)
                .orElseThrow(() -> refused("the process does not listen: http.listen is none"));
    }

    private static RefusedStartException refused(String why) {
        return new RefusedStartException(List.of(why));
    }

    private static URI address(HostPort at) {
        if (at.port() == 0) {
            throw refused(
                    "http.listen takes any free port: say --url with the one that the process has"
                            + " logged");
        }
        boolean isAnywhere = at.host().equals("0.0.0.0") || at.host().equals("::");
        return URI.create("http://" + (isAnywhere ? new HostPort("127.0.0.1", at.port()) : at));
    }

    /** Parses an address; without a scheme it is {@code http}. */
    static final class Address implements ITypeConverter<URI> {

        @Override
        public URI convert(String text) {
            try {
                URI uri = new URI(text.contains("://") ? text : "http://" + text);
                if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
                    return uri;
                }
            } catch (URISyntaxException e) {
                // reported below
            }
            throw new TypeConversionException(
                    "'%s' is no address such as http://127.0.0.1:8080".formatted(text));
        }
    }
}
