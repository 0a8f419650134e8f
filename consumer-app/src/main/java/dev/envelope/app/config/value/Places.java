package dev.envelope.app.config.value;

import dev.envelope.core.position.StartFrom;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The types of settings that name a place: in a topic, in a message, in the network. */
public final class Places {

    private static final Pattern HEADER = Pattern.compile("header:(.+)");
    private static final Pattern POINTER = Pattern.compile("json:((?:/(?:[^~/]|~0|~1)*)+)");

    private Places() {}

    /** Where to start a topic that was never read before. */
    public static ValueType<StartFrom> startFrom() {
        return ValueType.open(
                "choice or time",
                "earliest, latest, committed, or an ISO time with its zone",
                text ->
                        switch (text) {
                            case "earliest" -> new StartFrom.Earliest();
                            case "latest" -> new StartFrom.Latest();
                            case "committed" -> new StartFrom.Committed();
                            default -> time(text);
                        });
    }

    /** Where to find the id of an event. */
    public static ValueType<DedupeId> dedupeId() {
        return ValueType.open(
                "choice or place",
                "none, header:<name>, cloudevents, json:/pointer",
                Places::parseDedupeId);
    }

    /** An address of this machine; empty for {@code none}. */
    public static ValueType<Optional<HostPort>> httpListen() {
        return ValueType.open(
                "host:port",
                "an address of this machine, or none",
                text -> text.equals("none") ? Optional.empty() : Optional.of(HostPort.parse(text)));
    }

    /** An address by which others reach something. */
    public static ValueType<HostPort> address() {
        return ValueType.open("host:port", "host and port", HostPort::parse);
    }

    /** A file of this machine. */
    public static ValueType<Path> absoluteFile() {
        return ValueType.open("path", "an absolute path", Places::parseFile);
    }

    /** The address of a page of another server. */
    public static ValueType<URI> httpUrl() {
        return new ValueType<>(
                "URL",
                "http://host/path or https://host/path",
                false,
                Places::parseUrl,
                text ->
                        text.replaceFirst("//[^/@]*@", "//" + ValueType.MASK + "@")
                                .replaceFirst("\\?.*", "?" + ValueType.MASK));
    }

    private static URI parseUrl(String text) throws BadValueException {
        try {
            URI url = new URI(text);
            boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (!isHttp || url.getHost() == null) {
                throw new BadValueException("is not a URL that begins with http:// or https://");
            } else if (url.getUserInfo() != null) {
                throw new BadValueException(
                        "must not hold a login: set handler.http.header.Authorization instead");
            }
            return url;
        } catch (URISyntaxException e) {
            throw new BadValueException("is not a URL: " + e.getReason());
        }
    }

    private static Path parseFile(String text) throws BadValueException {
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw new BadValueException("is no path");
        }
        throw new BadValueException("is not an absolute path");
    }

    private static StartFrom time(String text) throws BadValueException {
        try {
            return new StartFrom.Time(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            throw new BadValueException(
                    "is neither earliest, latest, committed nor a time with its zone, such as"
                            + " 2026-01-31T00:00:00Z");
        }
    }

    private static DedupeId parseDedupeId(String text) throws BadValueException {
        Matcher header = HEADER.matcher(text);
        Matcher pointer = POINTER.matcher(text);
        if (text.equals("none")) {
            return new DedupeId.None();
        }
        if (text.equals("cloudevents")) {
            return new DedupeId.CloudEvents();
        }
        if (header.matches()) {
            return new DedupeId.Header(header.group(1));
        }
        if (pointer.matches()) {
            return new DedupeId.JsonPointer(pointer.group(1));
        }
        throw new BadValueException(
                text.startsWith("json:")
                        ? "does not hold a JSON pointer: it begins with /, such as json:/event/id"
                        : "is not a place of an id");
    }
}
