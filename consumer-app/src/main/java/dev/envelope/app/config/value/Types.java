package dev.envelope.app.config.value;

import dev.envelope.app.config.problem.Nearest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The types of settings that are texts, names or one of a few words. */
public final class Types {

    private static final Pattern APPLICATION_ID = Pattern.compile("[A-Za-z0-9._-]{1,249}");
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,62}");
    private static final String JAVA_NAME = "[\\p{L}_$][\\p{L}\\p{N}_$]*";
    private static final Pattern CLASS_NAME =
            Pattern.compile(JAVA_NAME + "(\\." + JAVA_NAME + ")+");

    private Types() {}

    /** Any text. */
    public static ValueType<String> text() {
        return ValueType.open("text", "any text", text -> text);
    }

    /** A text that is never shown. */
    public static ValueType<Secret> secret() {
        return new ValueType<>(
                "secret",
                "a reference: ${env:NAME}, ${file:path:key} or ${dir:path:name}",
                true,
                Secret::new,
                UnaryOperator.identity());
    }

    /** {@code true} or {@code false}. */
    public static ValueType<Boolean> flag() {
        return ValueType.open(
                "boolean",
                "true, false",
                text -> {
                    if (!text.equals("true") && !text.equals("false")) {
                        throw new BadValueException("is neither true nor false");
                    }
                    return text.equals("true");
                });
    }

    /** The name of a topic or an application: Kafka's letters and length. */
    public static ValueType<String> kafkaName() {
        return ValueType.open(
                "name", "1 to 249 letters, digits, dots, underscores and dashes", Types::kafkaName);
    }

    /** Topics, separated by commas. */
    public static ValueType<List<String>> topics() {
        return list("list of topics", "names, separated by commas", Types::kafkaName);
    }

    /** Servers as host:port, separated by commas. */
    public static ValueType<List<HostPort>> servers() {
        return list(
                "list of host:port",
                "addresses, separated by commas",
                text -> {
                    HostPort server = HostPort.parse(text);
                    if (server.port() == 0) {
                        throw new BadValueException("has port 0");
                    }
                    return server;
                });
    }

    /** Any texts, separated by commas. */
    public static ValueType<List<String>> texts(String name) {
        return list(name, "separated by commas", text -> text);
    }

    /** A name that needs no quotes in SQL. */
    public static ValueType<String> identifier() {
        return ValueType.open(
                "identifier",
                "1 to 63 lower-case letters, digits and underscores, no digit first",
                Types::identifier);
    }

    /** One of the words of an enum, in lower case. */
    public static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        List<String> words = words(type);
        return ValueType.open(
                "choice", String.join(", ", words), text -> constant(type, text, words));
    }

    /** One of the words of an enum, or the name of a class with its package. */
    public static <E extends Enum<E>> ValueType<Choice<E>> oneOfOrClass(Class<E> type) {
        List<String> words = words(type);
        return ValueType.open(
                "choice or class",
                String.join(", ", words) + ", or a class name with its package",
                text ->
                        CLASS_NAME.matcher(text).matches()
                                ? new Choice.OwnClass<>(text)
                                : new Choice.BuiltIn<>(constant(type, text, words)));
    }

    /** The URL of a Postgres server. */
    public static ValueType<JdbcUrl> jdbcUrl() {
        return new ValueType<>(
                "JDBC URL",
                JdbcUrl.PREFIX + "//host:port/database",
                false,
                JdbcUrl::parse,
                JdbcUrl::masked);
    }

    private static String kafkaName(String text) throws BadValueException {
        if (!APPLICATION_ID.matcher(text).matches() || text.equals(".") || text.equals("..")) {
            throw new BadValueException(
                    "is not a name: it takes 1 to 249 letters, digits, dots, underscores and"
                            + " dashes");
        }
        return text;
    }

    private static String identifier(String text) throws BadValueException {
        if (!IDENTIFIER.matcher(text).matches()) {
            throw new BadValueException(
                    "is not an identifier: it takes 1 to 63 lower-case letters, digits and"
                            + " underscores, and no digit comes first");
        }
        if (text.startsWith("pg_")) {
            throw new BadValueException("begins with pg_, which Postgres keeps for itself");
        }
        return text;
    }

    private static <T> ValueType<List<T>> list(
            String name, String allowed, ValueType.Parser<T> element) {
        return ValueType.open(
                name,
                allowed,
                text -> {
                    List<T> elements = new ArrayList<>();
                    for (String part : text.split(",", -1)) {
                        elements.add(element(part.strip(), element));
                    }
                    if (new HashSet<>(elements).size() < elements.size()) {
                        throw new BadValueException("names one of its elements twice");
                    }
                    return List.copyOf(elements);
                });
    }

    private static <T> T element(String part, ValueType.Parser<T> parser) throws BadValueException {
        if (part.isEmpty()) {
            throw new BadValueException("has an empty element: there is a comma too many");
        }
        try {
            return parser.parse(part);
        } catch (BadValueException e) {
            throw new BadValueException("has the element \"" + part + "\", which " + e.reason());
        }
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String text, List<String> words)
            throws BadValueException {
        if (!words.contains(text)) {
            throw new BadValueException(
                    "is not known" + Nearest.hint(text, words).map(hint -> ": " + hint).orElse(""));
        }
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    private static <E extends Enum<E>> List<String> words(Class<E> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .collect(Collectors.toUnmodifiableList());
    }
}
