package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.fold.MalformedException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Holds the check of what can be stored against the judge: a cast to {@code jsonb}. */
class JsonbPostgresTest {

    private static EmbeddedPostgres postgres;
    private static Connection connection;

    @BeforeAll
    static void start() throws IOException, SQLException {
        postgres = EmbeddedPostgres.builder().start();
        connection = postgres.getPostgresDatabase().getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE state (state json)");
        }
    }

    @AfterAll
    static void stop() throws IOException, SQLException {
        connection.close();
        postgres.close();
    }

    @Test
    void takesAndRefusesNumbersExactlyAsPostgresDoes() throws SQLException {
        Json lenient = new Json(new JsonLimits(1 << 20, 64, 100, 1 << 20, 100, 200_000));
        int accepted = 0;
        List<String> numbers = numbers();
        for (String number : numbers) {
            boolean ours = isAccepted(lenient, bytes(number));
            assertThat(ours).as(Brief.text(number)).isEqualTo(isCast(number));
            accepted += ours ? 1 : 0;
        }
        assertThat(accepted).isBetween(numbers.size() / 4, numbers.size() * 9 / 10);
    }

    @Test
    void takesNothingThatPostgresRefuses() throws SQLException {
        int accepted = 0;
        int refused = 0;
        for (String document : documents()) {
            if (isAccepted(Json.standard(), bytes(document))) {
                assertThat(isCast(document)).as(Brief.text(document)).isTrue();
                accepted++;
            } else {
                refused++;
            }
        }
        assertThat(accepted).isGreaterThan(500);
        assertThat(refused).isGreaterThan(500);
    }

    @Test
    void whatNeedsNoLookAndIsReadAsAStateIsCast() throws SQLException {
        JsonStateCodec<JsonNode> codec = JsonStateCodec.of(JsonNode.class);
        int accepted = 0;
        for (String document : documents()) {
            byte[] bytes = bytes(document);
            if (!Jsonb.needsALook(bytes) && isRead(codec, bytes)) {
                assertThat(isAccepted(Json.standard(), bytes)).as(Brief.text(document)).isTrue();
                assertThat(isCast(document)).as(Brief.text(document)).isTrue();
                accepted++;
            }
        }
        assertThat(accepted).isGreaterThan(300);
    }

    private static boolean isRead(JsonStateCodec<?> codec, byte[] document) {
        try {
            codec.decodeStrictly(document);
            return true;
        } catch (MalformedException e) {
            return false;
        }
    }

    private static List<String> numbers() {
        List<String> numbers =
                new ArrayList<>(
                        List.of(
                                "0",
                                "-0",
                                "-0.0",
                                "1E+5",
                                "1e5",
                                "1.0E-10",
                                "-1e-0",
                                "1e+00",
                                "1e131071",
                                "9.9e131071",
                                "10e131070",
                                "10e131071",
                                "1e131072",
                                "0.001e131074",
                                "0.001e131075",
                                "0.0001e131075",
                                "1e200000",
                                "0e131072",
                                "0e200000",
                                "0.0e200000",
                                "1e-16383",
                                "1e-16384",
                                "0e-16383",
                                "0e-16384",
                                "0.0e-16382",
                                "0.0e-16383",
                                "1.5e-16382",
                                "1.5e-16383",
                                "1e999999999",
                                "0e999999999",
                                "1e-999999999",
                                "1e0000000005",
                                "1e+0000000005",
                                "1e-0000000005",
                                "1e2147483648",
                                "1e9999999999",
                                "-1e9999999999",
                                "0e9999999999",
                                "1e-9999999999",
                                "12345e-16383",
                                "9".repeat(131_072),
                                "9".repeat(131_073),
                                "0." + "0".repeat(16_382) + "1",
                                "0." + "0".repeat(16_383) + "1",
                                "1." + "0".repeat(16_383),
                                "1." + "0".repeat(16_384),
                                "0." + "9".repeat(16_383) + "e-1",
                                "0." + "9".repeat(16_383) + "e1",
                                "0." + "9".repeat(16_384) + "e1",
                                "1" + "0".repeat(16_384) + "e-16384",
                                "9".repeat(60_000) + "e71072",
                                "9".repeat(60_000) + "e71073"));
        Random random = new Random(7);
        for (int i = 0; i < 400; i++) {
            String whole = random.nextBoolean() ? "0" : digits(random, 1 + random.nextInt(6));
            String fraction = random.nextBoolean() ? "" : "." + zerosOrDigits(random);
            int edge = random.nextBoolean() ? 131_072 : -16_383;
            String exponent = "e" + (edge + random.nextInt(17) - 8);
            numbers.add((random.nextBoolean() ? "-" : "") + whole + fraction + exponent);
        }
        return numbers;
    }

    private static List<String> documents() {
        List<String> atoms =
                new ArrayList<>(
                        List.of(
                                "\\u0000",
                                "\\ud83d\\ude00",
                                "\\ud83d",
                                "\\ude00",
                                "\\ude00\\ud83d",
                                "\\ud83dx",
                                "\\uD83D\\n",
                                "\\\\u0000",
                                "\\\\\\u0000",
                                "\\/",
                                "\\b",
                                "\u007f",
                                "é",
                                "😀",
                                "\\u00e9",
                                "\\u0001",
                                "\u0001",
                                "\ufeff",
                                "\uffff",
                                "\\uffff",
                                "\u2028",
                                "\\x",
                                "\\u12",
                                "\t",
                                "a",
                                "$",
                                "'"));
        List<String> scalars =
                List.of(
                        "1e131072",
                        "1e131071",
                        "-0.0",
                        "01",
                        "NaN",
                        "Infinity",
                        "true",
                        "TRUE",
                        "null",
                        "nul",
                        "\"\"",
                        "1.",
                        ".5",
                        "+1",
                        "1e",
                        "[]",
                        "{}",
                        "{\"a\":1,\"a\":2}",
                        "[1,]",
                        "{\"a\"}",
                        "0x10",
                        "1_0",
                        "/*x*/1");
        Random random = new Random(11);
        List<String> documents = new ArrayList<>(scalars);
        for (int i = 0; i < 3_000; i++) {
            String name = pick(random, atoms) + pick(random, atoms);
            String value =
                    random.nextBoolean()
                            ? '"' + pick(random, atoms) + pick(random, atoms) + '"'
                            : pick(random, scalars);
            documents.add("{\"" + name + "\": " + value + ", \"n\":[" + value + "]}");
            documents.add("{\"plain" + i + "\": " + pick(random, scalars) + "}");
        }
        return documents;
    }

    private static boolean isAccepted(Json json, byte[] document) {
        try {
            json.checkStorable(document);
            return true;
        } catch (MalformedException e) {
            return false;
        }
    }

    /** Stores it as a row does, and reads it as users do. */
    private static boolean isCast(String document) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO state VALUES (?::json)");
                Statement select = connection.createStatement()) {
            insert.setString(1, document);
            insert.execute();
            select.execute("SELECT state::jsonb FROM state");
            return true;
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.getMessage()).startsWith("22");
            return false;
        } finally {
            connection.rollback();
        }
    }

    private static String zerosOrDigits(Random random) {
        return random.nextBoolean()
                ? digits(random, 1 + random.nextInt(5))
                : "0000".substring(random.nextInt(4));
    }

    private static String digits(Random random, int count) {
        StringBuilder digits = new StringBuilder();
        for (int i = 0; i < count; i++) {
            digits.append(1 + random.nextInt(9));
        }
        return digits.toString();
    }

    private static String pick(Random random, List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
