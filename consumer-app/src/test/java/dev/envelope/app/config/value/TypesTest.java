package dev.envelope.app.config.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.position.StartFrom;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypesTest {

    private enum Word {
        ONE,
        TWO_PARTS
    }

    private static void refused(ThrowingCallable parse, String reason) {
        assertThatThrownBy(parse)
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void wordsAreTheConstantsInLowerCaseWithDashes() throws BadValueException {
        ValueType<Word> type = Types.oneOf(Word.class);
        assertThat(type.parse("two-parts")).isEqualTo(Word.TWO_PARTS);
        assertThat(type.allowed()).isEqualTo("one, two-parts");
        refused(() -> type.parse("ONE"), "did you mean one?");
        refused(() -> type.parse("three"), "is not known");
    }

    @Test
    void aChoiceIsAWordOrAClassWithItsPackage() throws BadValueException {
        ValueType<Choice<Word>> type = Types.oneOfOrClass(Word.class);
        assertThat(type.parse("one").is(Word.ONE)).isTrue();
        assertThat(type.parse("com.example.Orders").match(Word::name, name -> name))
                .isEqualTo("com.example.Orders");
        assertThat(type.parse("com.example.Orders$Inner").isOwnClass()).isTrue();
        refused(() -> type.parse("onne"), "did you mean one?");
        refused(() -> type.parse("com..example"), "is not known");
    }

    @Test
    void topicsAreDistinctNames() throws BadValueException {
        assertThat(Types.topics().parse("a, b.c_d-e")).containsExactly("a", "b.c_d-e");
        refused(() -> Types.topics().parse("a,,b"), "has an empty element");
        refused(() -> Types.topics().parse("a,a"), "twice");
        refused(() -> Types.topics().parse("a b"), "has the element \"a b\", which is not a name");
        refused(() -> Types.topics().parse(".."), "is not a name");
        refused(() -> Types.topics().parse("x".repeat(250)), "is not a name");
    }

    @Test
    void serversHaveAPort() throws BadValueException {
        assertThat(Types.servers().parse("broker-1:9092,[::1]:9093"))
                .containsExactly(new HostPort("broker-1", 9092), new HostPort("::1", 9093));
        refused(() -> Types.servers().parse("broker"), "is not host:port");
        refused(() -> Types.servers().parse("broker:65536"), "has a port above 65535");
        refused(() -> Types.servers().parse("broker:0"), "has port 0");
        refused(() -> Types.servers().parse("SSL://broker:1"), "leave out what stands before ://");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Upper", "9lives", "with-dash", "pg_own", "ä"})
    void namesThatNeedQuotesInSqlAreRefused(String text) {
        refused(() -> Types.identifier().parse(text), "");
    }

    @Test
    void aSchemasNameHasAtMost63Letters() throws BadValueException {
        assertThat(Types.identifier().parse("x".repeat(63))).hasSize(63);
        refused(() -> Types.identifier().parse("x".repeat(64)), "is not an identifier");
    }

    @Test
    void flagsAreWrittenOut() throws BadValueException {
        assertThat(Types.flag().parse("true")).isTrue();
        refused(() -> Types.flag().parse("yes"), "is neither true nor false");
    }

    @Test
    void aSecretDoesNotPrintItself() throws BadValueException {
        Secret secret = Types.secret().parse("hunter2");
        assertThat(secret.reveal()).isEqualTo("hunter2");
        assertThat(secret).hasToString("******").isEqualTo(new Secret("hunter2"));
        assertThat(Types.secret().shown("hunter2")).isEqualTo("******");
    }

    @Test
    void aStartIsAWordOrATimeWithItsZone() throws BadValueException {
        ValueType<StartFrom> type = Places.startFrom();
        assertThat(type.parse("earliest")).isEqualTo(new StartFrom.Earliest());
        assertThat(type.parse("committed")).isEqualTo(new StartFrom.Committed());
        assertThat(type.parse("2026-01-31T01:00:00+01:00"))
                .isEqualTo(new StartFrom.Time(Instant.parse("2026-01-31T00:00:00Z")));
        refused(() -> type.parse("2026-01-31"), "a time with its zone");
        refused(() -> type.parse("2026-01-31T00:00:00"), "a time with its zone");
        refused(() -> type.parse("Latest"), "is neither earliest");
    }

    @Test
    void anIdHasAPlace() throws BadValueException {
        ValueType<DedupeId> type = Places.dedupeId();
        assertThat(type.parse("none")).isEqualTo(new DedupeId.None());
        assertThat(type.parse("header:event-id")).isEqualTo(new DedupeId.Header("event-id"));
        assertThat(type.parse("cloudevents")).isEqualTo(new DedupeId.CloudEvents());
        assertThat(type.parse("json:/a~1b/0")).isEqualTo(new DedupeId.JsonPointer("/a~1b/0"));
        refused(() -> type.parse("header:"), "is not a place of an id");
        refused(() -> type.parse("json:id"), "begins with /");
        refused(() -> type.parse("json:/a~2"), "does not hold a JSON pointer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:8080", "localhost:0", "[::1]:8080", "127.1.2.3:1"})
    void pagesMayBeServedToThisMachineAlone(String text) throws BadValueException {
        assertThat(Places.httpListen().parse(text).map(HostPort::toString)).contains(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0:8080", "[::]:8080", "example.com:80", "127.evil.com:80"})
    void whatOthersCanReachIsToldApart(String text) throws BadValueException {
        assertThat(Places.httpListen().parse(text).map(HostPort::isLoopback)).contains(false);
    }

    @Test
    void pagesCanBeSwitchedOff() throws BadValueException {
        assertThat(Places.httpListen().parse("none")).isEmpty();
        refused(() -> Places.httpListen().parse("8080"), "is not host:port");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://db:5432/app | db",
                "jdbc:postgresql://db/app | db",
                "jdbc:postgresql://a:1,b,[::1]:3/app?x=y | a;b;::1",
                "jdbc:postgresql:app | localhost",
                "jdbc:postgresql:///app | localhost",
            })
    void aUrlNamesItsServers(String url, String hosts) throws BadValueException {
        assertThat(Types.jdbcUrl().parse(url).hosts()).containsExactly(hosts.split(";"));
    }

    @Test
    void aUrlHidesWhatLooksLikeASecret() throws BadValueException {
        String url = "jdbc:postgresql://db/app?sslmode=require&sslpassword=hunter2&x=1";
        JdbcUrl parsed = Types.jdbcUrl().parse(url);
        assertThat(parsed.url()).isEqualTo(url);
        assertThat(parsed.parameter("sslmode")).contains("require");
        assertThat(parsed)
                .hasToString("jdbc:postgresql://db/app?sslmode=require&sslpassword=******&x=1");
        assertThat(Types.jdbcUrl().shown(url)).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:mysql://db/app | must begin with jdbc:postgresql:",
                "postgresql://db/app | begin it with jdbc:postgresql://",
                "jdbc:postgresql: | names no database",
                "jdbc:postgresql://me:pw@db/app | must not hold a user",
                "jdbc:postgresql://db:port/app | is not host:port",
                "jdbc:postgresql://db/app?a=%zz | a broken % escape",
            })
    void otherUrlsAreRefused(String url, String reason) {
        refused(() -> Types.jdbcUrl().parse(url), reason);
    }
}
