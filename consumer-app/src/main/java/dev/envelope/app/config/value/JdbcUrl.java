package dev.envelope.app.config.value;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The JDBC URL of a Postgres server. Its text form hides what looks like a secret.
 *
 * @param hosts the servers' names; {@code localhost} when the URL names none
 * @param parameters what follows the question mark, decoded
 */
public record JdbcUrl(String url, List<String> hosts, Map<String, String> parameters) {

    /** The prefix of the URL. */
    public static final String PREFIX = "jdbc:postgresql:";

    private static final Pattern USER_AND_PASSWORD = Pattern.compile(":.*@");

    /** A port that is not a number: it may be a password whose host was forgotten. */
    private static final Pattern NO_PORT =
            Pattern.compile("(?<=//|,)([^/?\\[\\],:]+:)(?!\\d+(?=[/?,]|$))[^/?,]+");

    private static final Pattern SECRET_PARAMETER =
            Pattern.compile("(?i)([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*");

    /** Copies the collections. */
    public JdbcUrl {
        hosts = List.copyOf(hosts);
        parameters = Map.copyOf(parameters);
    }

    static JdbcUrl parse(String text) throws BadValueException {
        if (!text.startsWith(PREFIX)) {
            throw new BadValueException(
                    text.startsWith("postgres")
                            ? "is not a JDBC URL: begin it with jdbc:postgresql://"
                            : "must begin with " + PREFIX);
        }
        int question = text.indexOf('?');
        String target = text.substring(PREFIX.length(), question < 0 ? text.length() : question);
        if (target.isEmpty() || target.contains(" ")) {
            throw new BadValueException("names no database");
        }
        if (target.contains("@")) {
            throw new BadValueException(
                    "must not hold a user: set store.user and store.password instead");
        }
        return new JdbcUrl(
                text, hosts(target), parameters(question < 0 ? "" : text.substring(question + 1)));
    }

    /** The URL without what looks like a secret. */
    static String masked(String text) {
        String nobody = USER_AND_PASSWORD.matcher(text).replaceFirst(":" + ValueType.MASK + "@");
        String portless = NO_PORT.matcher(nobody).replaceAll("$1" + ValueType.MASK);
        return SECRET_PARAMETER.matcher(portless).replaceAll("$1" + ValueType.MASK);
    }

    /** A parameter of the URL. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** Whether every server's name means this machine. */
    public boolean isLoopback() {
        return hosts.stream().allMatch(HostPort::isLoopback);
    }

    /** The URL without what looks like a secret. */
    @Override
    public String toString() {
        return masked(url);
    }

    private static List<String> hosts(String target) throws BadValueException {
        if (!target.startsWith("//")) {
            return List.of("localhost");
        }
        int slash = target.indexOf('/', 2);
        List<String> hosts = new ArrayList<>();
        for (String server :
                target.substring(2, slash < 0 ? target.length() : slash).split(",", -1)) {
            boolean portless = server.endsWith("]") || server.indexOf(':') < 0;
            hosts.add(
                    server.isEmpty()
                            ? "localhost"
                            : HostPort.parse(portless ? server + ":5432" : server).host());
        }
        return hosts;
    }

    private static Map<String, String> parameters(String query) throws BadValueException {
        Map<String, String> parameters = new TreeMap<>();
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (name.isEmpty()) {
                continue;
            }
            try {
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                parameters.put(name, URLDecoder.decode(value, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                throw new BadValueException("has a parameter " + name + " with a broken % escape");
            }
        }
        return parameters;
    }
}
