package dev.envelope.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrossChecksTest {

    @TempDir Path directory;
    private ConfigFixture config;

    @BeforeEach
    void inAFolderOfItsOwn() {
        config = new ConfigFixture(directory);
    }

    private String problemsWith(String lines) {
        return config.printed(config.problemsWith(lines.split("; "))).replaceAll("\n +", " ");
    }

    @Test
    void aConflictNamesBothLines() {
        assertThat(problemsWith("store.socket.timeout=5s; store.statement.timeout=6s"))
                .contains(
                        "app.properties:7  store.statement.timeout store.statement.timeout (6s, line"
                                + " 7) must be shorter than store.socket.timeout (5s, line 6)");
    }

    @Test
    void aConflictWithADefaultStandsAtTheLineThatWasWritten() {
        assertThat(problemsWith("store.statement.timeout=20s"))
                .contains("app.properties:6  store.statement.timeout")
                .contains("must be shorter than store.socket.timeout (15s, default)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "store.lock.timeout=10s; revoke.drain.timeout=30s | store.lock.timeout (10s, line 6)"
                        + " must be shorter than store.statement.timeout (10s, default)",
                "store.lock.timeout=2s | must be at most half of revoke.drain.timeout (2500ms,"
                        + " default)",
                "turn.max.time=3s | must be shorter than revoke.drain.timeout",
                "turn.max.time=2s; handler.timeout=2s | must be shorter than handler.timeout",
                "retry.backoff.initial=31s | must not be longer than retry.backoff.max",
                "envelope.max.messages=20001 | must not be larger than turn.max.messages (20000,",
                "envelope.max.bytes=257MiB | must not be larger than prefetch.max.bytes",
                "cache.max.bytes=1MiB; state.max.bytes=2MiB | must not be larger than"
                        + " cache.max.bytes (1MiB, line 6)",
                "assignment=slots | needs to know how many slots there are -> example: slots=4",
                "slots=4 | means nothing where a group divides the partitions (assignment=group,"
                        + " default)",
                "slots.from=2 | add assignment=slots, or take it out",
                "assignment=slots; slots=4; slots.from=4 | is the number that there are to be",
                "slots.timeout=5s | add assignment=slots, or take it out",
                "batch.max.messages=5 | is only for handlers that keep no rows",
                "pool.size.by=latency | can't be latency, which is that of calls: rows are saved for many"
                        + " messages at once -> gain, or mode=work",
                "handler.http.max.rate=5 | means nothing without handler=http",
                "dedupe=store | is only for handlers that keep no rows: rows have their marks",
                "mode=work; dedupe=store; handler=http; handler.http.url=http://localhost:1 | is for"
                        + " what a handler writes to the database, and handler=http posts",
                "mode=work; dedupe=store; handler=com.example.X; audit.retention=1d | means nothing"
                        + " where no rows are kept (mode=work, line 5)",
                "pool.shards=48 | is not a power of two -> nearest: 32 or 64",
                "pool.size=8; pool.shards=16 | must be at least 4 times pool.size (8, line 6)",
                "handler=fold | needs at least one field",
                "handler.fold.x=sum(/x) | means nothing without handler=fold (handler=latest, line"
                        + " 4)",
                "handler.config.x=y | is only passed to a handler of your own",
                "handler.path=x.jar | is only searched for a handler or a deserializer of your own",
                "key.format=com.example.Y; handler.path=x.jar | there is nothing to read at",
                "handler=com.example.X; handler.path=x.jar | there is nothing to read at",
                "value.format=string | the built-in handlers read JSON (handler=latest, line 4)",
                "handler=com.example.X; value.format=bytes; dedupe.id=json:/id | looks into JSON,"
                        + " which the values are not (value.format=bytes, line 6)",
                "key.deserializer.x=y | means nothing unless key.format names a Deserializer"
                        + " (key.format=string, default)",
                "value.deserializer.x=y | means nothing unless value.format names",
                "topics=a,b | key.scope must say whether equal keys are one row",
                "on.failure=dead-letter | does not say where dead letters go -> example:"
                        + " dead.letter.topic=payments-dead",
                "on.failure=dead-letter; dead.letter.topic=payments | is read as well: its messages"
                        + " would fail and go there again (topics=payments, line 3)",
                "store.password=x | is set without store.user",
                "store.migrator.password=x | is set without store.migrator.user",
                "application.id=9lives | gives the database schema the name \"9lives\", which is"
                        + " not an identifier",
                "application.id=pg-tool | begins with pg_",
                "store.url=jdbc:postgresql://localhost/a?user=me | must not hold a user -> set"
                        + " store.user instead",
                "store.url=jdbc:postgresql://localhost/a?password=x | must not hold a password",
                "store.url=jdbc:postgresql://db/a?sslmode=disable | switches encryption off",
            })
    void conflictsAreRefused(String lines, String problem) {
        assertThat(problemsWith(lines)).contains("refused: 1 problem").contains(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dedupe.window.messages=5 | means nothing without event ids (dedupe.id=none,"
                        + " default)",
                "dedupe.window.age=5d | means nothing without event ids",
                "dead.letter.topic=dead | means nothing without dead letters (on.failure=park,"
                        + " default)",
                "handler.timeout=21s | (21s, line 6) is longer than shutdown.drain.timeout (20s,"
                        + " default): a stop gives a message up that may still be folded",
                "store.schema.management=none; store.migrator.user=m | is not used at start",
                "store.url=jdbc:postgresql://db/a | leaves it to the server whether the connection is"
                        + " encrypted",
                "bootstrap.servers=broker:9092 | messages travel unencrypted to another machine,"
                        + " broker:9092",
                "bootstrap.servers=broker:9092; kafka.security.protocol=SASL_PLAINTEXT |"
                        + " kafka.security.protocol = SASL_PLAINTEXT",
            })
    void doubtsAreSaidAndAccepted(String lines, String warning) {
        assertThat(problemsWith(lines)).startsWith("1 warning.").contains(warning);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topics=a,b; key.scope=topic",
                "topics=a; key.scope=application",
                "store.lock.timeout=1s; revoke.drain.timeout=2s",
                "envelope.max.messages=20000",
                "pool.size=4; pool.shards=16",
                "handler=fold; handler.fold.x=sum(/x)",
                "handler=com.example.X; value.format=bytes",
                "dedupe.id=header:id; dedupe.window.messages=5",
                "on.failure=dead-letter; dead.letter.topic=dead; dead.letter.headers=spring",
                "store.url=jdbc:postgresql://db/a?sslmode=verify-full",
                "store.url=jdbc:postgresql://db/a?sslmode=disable; store.insecure.transport=true",
                "store.url=jdbc:postgresql://127.0.0.1/a?sslmode=disable",
                "bootstrap.servers=broker:9092; kafka.security.protocol=SSL",
            })
    void whatFitsTogetherIsAccepted(String lines) {
        assertThat(problemsWith(lines)).isEmpty();
    }

    @Test
    void virtualWorkersAreRefusedInASentenceWhereJavaHasNone() {
        int java = Runtime.version().feature();

        String problems = problemsWith("pool.kind=virtual");

        if (java < 21) {
            assertThat(problems)
                    .contains("refused: 1 problem")
                    .contains("wants Java 21 or later, and this is Java " + java)
                    .contains("leave it out, or run a later Java");
        } else {
            assertThat(problems).isEmpty();
        }
    }

    @Test
    void aSettingThatIsWrongItselfIsNotComparedAsWell() {
        assertThat(problemsWith("store.lock.timeout=2; turn.max.messages=x; pool.size=0"))
                .contains("3 problems")
                .doesNotContain("must be");
    }

    @Test
    void buffersThatFillTheHeapArePointedOut() {
        config.heap(200L << 20);
        assertThat(problemsWith("cache.max.bytes=80MiB"))
                .contains("1 warning")
                .contains("prefetch.max.bytes (25MiB, default) and cache.max.bytes (80MiB, line 6)")
                .contains("more than half of the heap of 200MiB");
    }
}
