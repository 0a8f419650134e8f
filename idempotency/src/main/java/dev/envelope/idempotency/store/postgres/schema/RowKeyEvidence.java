package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.core.api.Words;
import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.RowKeyPins;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What rows without pins show about the settings that made them. The shape of a key can exclude a
 * setting; a setting is proved only if all others are excluded. A key format that is a user's class
 * can make any shape, so it is never proved and never excluded.
 *
 * @param topics all topics that were ever read
 * @param keys a sample of the rows' keys, from both ends of the table and around the keys of each
 *     topic. It has keys with and without a topic's name as prefix, if there are such.
 */
record RowKeyEvidence(String schema, Set<String> topics, List<String> keys) {

    private static final int KEYS_AROUND_A_BOUND = 100;

    private static final String TOPICS = "SELECT DISTINCT topic FROM %s.source";

    private static final String KEYS =
            "SELECT DISTINCT k.key FROM unnest(?::text[]) AS b(bound) CROSS JOIN LATERAL"
                    + " ((SELECT s.key FROM %1$s.state AS s WHERE s.key >= b.bound"
                    + " ORDER BY s.key LIMIT %2$d) UNION ALL"
                    + " (SELECT s.key FROM %1$s.state AS s WHERE s.key < b.bound"
                    + " ORDER BY s.key DESC LIMIT %2$d)) AS k ORDER BY k.key";

    private static final String FIRST = "";
    private static final String LAST = Character.toString(Character.MAX_CODE_POINT);

    private static final Pattern SPREAD = Pattern.compile(RowKeys.NO_KEY + "spread-\\d+");
    private static final Pattern SPREAD_OF_TOPIC =
            Pattern.compile(RowKeys.NO_KEY + "[^/]+/spread-\\d+");
    private static final Pattern BY_PARTITION =
            Pattern.compile(RowKeys.NO_KEY + "[^/]+/partition-\\d+");

    /** A built-in key format, and what its keys look like. */
    private enum Shape {
        STRING,
        LONG,
        INT,
        UUID,
        BASE64;

        private static final Pattern NUMBER = Pattern.compile("0|-?[1-9]\\d{0,18}");
        private static final Pattern HEX =
                Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
        private static final Pattern QUARTETS =
                Pattern.compile("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?");

        boolean canMake(String text) {
            return switch (this) {
                case STRING -> true;
                case LONG -> isLong(text);
                case INT -> isLong(text) && Long.parseLong(text) == (int) Long.parseLong(text);
                case UUID -> HEX.matcher(text).matches();
                case BASE64 -> QUARTETS.matcher(text).matches();
            };
        }

        static @Nullable Shape named(String format) {
            return Arrays.stream(values())
                    .filter(shape -> shape.name().equalsIgnoreCase(format))
                    .findFirst()
                    .orElse(null);
        }

        private static boolean isLong(String text) {
            if (!NUMBER.matcher(text).matches()) {
                return false;
            }
            try {
                return Long.toString(Long.parseLong(text)).equals(text);
            } catch (NumberFormatException e) {
                return false; // out of range
            }
        }
    }

    /** The evidence of a schema without rows. */
    static RowKeyEvidence none(PostgresSettings settings) {
        return new RowKeyEvidence(settings.schema(), Set.of(), List.of());
    }

    static RowKeyEvidence read(Connection connection, PostgresSettings settings)
            throws SQLException {
        Set<String> topics = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TOPICS.formatted(settings.quotedSchema()))) {
            while (row.next()) {
                topics.add(row.getString(1));
            }
        }
        List<String> bounds = new ArrayList<>(List.of(FIRST, LAST));
        Stream.concat(topics.stream().map(topic -> topic + '/'), Stream.of(RowKeys.NO_KEY))
                .forEach(prefix -> bounds.addAll(List.of(prefix, after(prefix))));
        List<String> keys = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(
                        KEYS.formatted(settings.quotedSchema(), KEYS_AROUND_A_BOUND))) {
            statement.setObject(1, BinaryArray.ofTexts(bounds, bound -> bound));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    keys.add(row.getString(1));
                }
            }
        }
        return new RowKeyEvidence(settings.schema(), topics, keys);
    }

    /** The first text after all that begin with the prefix. */
    private static String after(String prefix) {
        int last = prefix.length() - 1;
        return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
    }

    /**
     * The evidence against a value; empty also for a name that has nothing to do with keys.
     *
     * @param values all configured values, by name
     */
    Optional<PinMismatch> against(String name, Map<String, String> values) {
        String value = values.getOrDefault(name, "");
        return switch (name) {
            case RowKeyPins.KEY_SCOPE -> againstScope(value);
            case RowKeyPins.KEY_FORMAT -> againstFormat(value);
            case RowKeyPins.ON_NULL_KEY -> againstRule(value);
            case RowKeyPins.NULL_KEY_SPREAD -> againstSpread(value);
            default -> Optional.empty();
        };
    }

    private Optional<PinMismatch> againstScope(String value) {
        String name = RowKeyPins.KEY_SCOPE;
        Optional<String> ofTopic = ofRecords().filter(this::isOfTopic).findFirst();
        Optional<String> plain = ofRecords().filter(key -> !isOfTopic(key)).findFirst();
        if (value.equals(RowKeyPins.TOPIC)) {
            return plain.or(() -> reserved(SPREAD))
                    .map(key -> differs(name, RowKeyPins.APPLICATION, value, key));
        } else if (ofTopic.isPresent() && plain.isPresent()) {
            return Optional.of(
                    new PinMismatch(
                            name,
                            null,
                            value,
                            ("in the schema %s some keys begin with the name of a topic, such as"
                                            + " %s, and others do not")
                                    .formatted(schema, Words.quote(ofTopic.get()))));
        }
        return ofTopic.or(() -> reserved(SPREAD_OF_TOPIC))
                .map(key -> differs(name, RowKeyPins.TOPIC, value, key));
    }

    private Optional<PinMismatch> againstFormat(String value) {
        boolean isScoped = ofRecords().allMatch(this::isOfTopic);
        List<String> texts =
                ofRecords()
                        .map(key -> isScoped ? key.substring(key.indexOf('/') + 1) : key)
                        .toList();
        Shape shape = Shape.named(value);
        Optional<String> other =
                texts.stream().filter(text -> shape != null && !shape.canMake(text)).findAny();
        if (other.isPresent()) {
            return Optional.of(cannotBe(RowKeyPins.KEY_FORMAT, value, other.get()));
        }
        boolean isProved =
                shape != null
                        && Arrays.stream(Shape.values())
                                .filter(each -> each != shape)
                                .allMatch(each -> !texts.stream().allMatch(each::canMake));
        return isProved || texts.isEmpty()
                ? Optional.empty()
                : Optional.of(unknown(RowKeyPins.KEY_FORMAT, value));
    }

    private Optional<PinMismatch> againstRule(String value) {
        String name = RowKeyPins.ON_NULL_KEY;
        return value.equals(RowKeyPins.SPREAD)
                ? reserved(BY_PARTITION).map(key -> differs(name, RowKeyPins.PARTITION, value, key))
                : spread().map(key -> differs(name, RowKeyPins.SPREAD, value, key));
    }

    private Optional<PinMismatch> againstSpread(String value) {
        return spread().map(key -> unknown(RowKeyPins.NULL_KEY_SPREAD, value));
    }

    private Optional<String> spread() {
        return reserved(SPREAD).or(() -> reserved(SPREAD_OF_TOPIC));
    }

    private Stream<String> ofRecords() {
        return keys.stream().filter(key -> !key.startsWith(RowKeys.NO_KEY));
    }

    private Optional<String> reserved(Pattern pattern) {
        return keys.stream().filter(pattern.asMatchPredicate()).findFirst();
    }

    private boolean isOfTopic(String key) {
        int slash = key.indexOf('/'); // a topic's name has none
        return slash > 0 && topics.contains(key.substring(0, slash));
    }

    private PinMismatch differs(String name, String stored, String value, String key) {
        return new PinMismatch(
                name,
                stored,
                value,
                "the rows of the schema %s look made with %s, such as %s"
                        .formatted(schema, stored, Words.quote(key)));
    }

    private PinMismatch cannotBe(String name, String value, String text) {
        return new PinMismatch(
                name,
                null,
                value,
                "the schema %s has a row that it can't have made, %s"
                        .formatted(schema, Words.quote(text)));
    }

    private PinMismatch unknown(String name, String value) {
        return new PinMismatch(
                name,
                null,
                value,
                ("the schema %s has rows from before that was written down, and they do not show"
                                + " what made them")
                        .formatted(schema));
    }
}
