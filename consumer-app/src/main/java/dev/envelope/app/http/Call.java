package dev.envelope.app.http;

import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.ValueType;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A request: its parameters are in the address and the headers. Wrong ones are refused with the
 * reason.
 */
public final class Call {

    private final Request request;
    private final String path;
    private final Fields query;

    /** Wraps a request; its body is not read. */
    public Call(Request request) {
        this.request = request;
        String whole = String.valueOf(request.getHttpURI().getPath());
        boolean isWithSlash = whole.length() > 1 && whole.endsWith("/");
        this.path = isWithSlash ? whole.substring(0, whole.length() - 1) : whole;
        this.query = Request.extractQueryParameters(request, StandardCharsets.UTF_8);
    }

    public String method() {
        return request.getMethod();
    }

    /** The path as it was sent, without a slash at its end. */
    public String path() {
        return path;
    }

    public boolean has(String header) {
        return request.getHeaders().contains(header);
    }

    /** A header, or the default if it was not sent. */
    public String headerOr(String name, String otherwise) {
        String value = request.getHeaders().get(name);
        return value == null ? otherwise : value;
    }

    /** All headers of a name. */
    public List<String> all(String header) {
        return request.getHeaders().getValuesList(header);
    }

    /** The announced length of the body; -1 if there is none. */
    public long bodyBytes() {
        return request.getLength();
    }

    /** The caller, as shown in audit and timeline. */
    public String by() {
        return "http " + Request.getRemoteAddr(request);
    }

    /** The last part of the path. */
    public String name() {
        return decoded(path.substring(path.lastIndexOf('/') + 1));
    }

    /** A part of a path, in which any character may be percent-encoded. */
    public static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** A query parameter; null if it is missing. */
    public @Nullable String find(String parameter) {
        return query.getValue(parameter);
    }

    /** The same; null if it is missing or empty. */
    public @Nullable String findText(String parameter) {
        String value = find(parameter);
        return value == null || value.isEmpty() ? null : value;
    }

    /** The same; refused if it is missing. */
    public String get(String parameter) {
        String value = find(parameter);
        if (value == null) {
            throw Refused.badRequest("wants ?" + parameter + "=");
        }
        return value;
    }

    /** Whether it is {@code true}. */
    public boolean is(String parameter) {
        return Boolean.parseBoolean(find(parameter));
    }

    /** A number from least to most. */
    public int number(String parameter, int otherwise, int least, int most) {
        String text = find(parameter);
        long value = text == null ? otherwise : number(parameter, text);
        if (value < least || value > most) {
            throw Refused.badRequest("%s is from %d to %d".formatted(parameter, least, most));
        }
        return (int) value;
    }

    /** The position of a parked message; 0 if it is missing. */
    public long position(String parameter) {
        String text = find(parameter);
        return text == null ? 0 : number(parameter, text);
    }

    /** A duration, if there is one. */
    public Optional<Duration> time(String parameter, ValueType<Duration> type) {
        String text = find(parameter);
        try {
            return text == null ? Optional.empty() : Optional.of(type.parse(text));
        } catch (BadValueException e) {
            throw Refused.badRequest(parameter + " " + e.reason());
        }
    }

    /** A time such as 2026-11-23T03:00:00Z; null if it is missing. */
    public @Nullable Instant instant(String parameter) {
        String text = findText(parameter);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw Refused.badRequest(parameter + " is a time as in 2026-11-23T03:00:00Z");
        }
    }

    /** Numbers, separated by commas. */
    public static List<Long> numbers(String parameter, String text) {
        return Stream.of(text.split(",")).map(it -> number(parameter, it)).toList();
    }

    /** A text as a number that is not negative. */
    public static long number(String parameter, String text) {
        if (!text.matches("\\d{1,18}")) {
            throw Refused.badRequest(parameter + " is not a number");
        }
        return Long.parseLong(text);
    }
}
