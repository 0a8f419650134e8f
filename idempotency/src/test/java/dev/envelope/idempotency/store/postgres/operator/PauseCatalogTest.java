package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Pauses.Pause;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog.Answer;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators hold back. */
class PauseCatalogTest {

    private static final Optional<Duration> FOR_EVER = Optional.empty();

    private final PostgresFixture fixture = new PostgresFixture();
    private final String table = fixture.settings().schema() + ".paused";
    private final PauseCatalog catalog =
            new PostgresPauseCatalog(OperatorConnection.open(fixture.settings()));

    @AfterEach
    void close() {
        catalog.close();
        fixture.close();
    }

    private List<String> keys() {
        return catalog.all().all().stream().map(Pause::name).toList();
    }

    @Test
    void whatHasItsTimeEndsByTheClockOfTheServer() {
        catalog.pause(Kind.KEY, "a", Optional.of(Duration.ofHours(2)), "me");
        Pause pause = catalog.all().all().get(0);
        assertThat(Duration.between(pause.since(), pause.until())).isEqualTo(Duration.ofHours(2));
        assertThat(pause.since()).isBefore(Instant.now().plusSeconds(60));
        assertThat(catalog.isPaused(Kind.KEY, "a")).isTrue();

        fixture.server().execute("UPDATE " + table + " SET until = now() - interval '1 s'");
        assertThat(catalog.all().all()).isEmpty();
        assertThat(catalog.isPaused(Kind.KEY, "a")).isFalse();
        assertThat(fixture.checkpoints().pauses().all()).isEmpty();
        assertThat(catalog.resume(Kind.KEY, "a", "me")).as("it was over").isFalse();
    }

    @Test
    void whoPausesAgainSaysHowItStandsFromNowOnAlsoWhenItWasOver() {
        catalog.pause(Kind.KEY, "a", Optional.of(Duration.ofMillis(1)), "one");
        fixture.server().execute("UPDATE " + table + " SET until = now() - interval '1 s'");
        catalog.pause(Kind.KEY, "a", FOR_EVER, "two");
        assertThat(catalog.all().all())
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.until()).isNull();
                            assertThat(it.by()).isEqualTo("two");
                        });

        catalog.pause(Kind.KEY, "b", Optional.of(Duration.ofMillis(1)), "one");
        fixture.server()
                .execute(
                        "UPDATE " + table + " SET until = now() - interval '1 s' WHERE name = 'b'");
        catalog.pause(Kind.KEY, "c", FOR_EVER, "one");
        assertThat(fixture.server().query("SELECT count(*) FROM " + table))
                .as("what is over is forgotten with the next")
                .isEqualTo("2");
    }

    @Test
    void aKeyAndAPartitionOfOneNameAreTwo() {
        fixture.server()
                .execute(
                        "INSERT INTO %s (kind, name, paused_by) VALUES ('partition', 'a-1', 'me')"
                                .formatted(table));
        catalog.pause(Kind.KEY, "a-1", FOR_EVER, "me");
        assertThat(keys()).hasSize(2);

        assertThat(catalog.resume(Kind.KEY, "a-1", "me")).isTrue();
        assertThat(catalog.all().partitions()).hasSize(1);
        assertThat(catalog.pause(Kind.PARTITION, "nowhere-1", FOR_EVER, "me"))
                .isEqualTo(Answer.NO_SUCH_PARTITION);
    }

    @Test
    void aRequestWhoseAnswerWasLostCanBeMadeAgain() {
        catalog.pause(Kind.KEY, "a", FOR_EVER, "me");
        assertThat(catalog.pause(Kind.KEY, "a", FOR_EVER, "me")).isEqualTo(Answer.PAUSED);
        assertThat(keys()).containsExactly("a");

        assertThat(catalog.resume(Kind.KEY, "a", "me")).isTrue();
        assertThat(catalog.resume(Kind.KEY, "a", "me")).isFalse();
        assertThat(keys()).isEmpty();
    }

    @Test
    void itIsKnownWhoHasPausedAndResumedWhat() {
        catalog.pause(Kind.KEY, "a", FOR_EVER, "one");
        catalog.resume(Kind.KEY, "a", "another");
        catalog.resume(Kind.KEY, "a", "a third");

        try (RequestCatalog requests =
                new PostgresRequestCatalog(OperatorConnection.open(fixture.settings()))) {
            assertThat(requests.audit("a", 9))
                    .extracting(it -> it.who() + ": " + it.what() + ", " + it.answer())
                    .containsExactly(
                            "another: resume key, paused by one",
                            "one: pause key, until it is resumed");
            assertThat(requests.audit(null, 1)).hasSize(1);
            assertThat(requests.audit("b", 9)).isEmpty();
        }
    }

    @Test
    void thereAreNoMoreThanEachProcessCanReadEverySecond() {
        fixture.server()
                .execute(
                        ("INSERT INTO %s (kind, name, paused_by)"
                                        + " SELECT 'key', i, 'me' FROM generate_series(1, %d) AS i")
                                .formatted(table, PauseCatalog.MOST));

        assertThat(catalog.pause(Kind.KEY, "a", FOR_EVER, "me")).isEqualTo(Answer.TOO_MANY);
        assertThat(catalog.pause(Kind.KEY, "1", Optional.of(Duration.ofHours(2)), "me"))
                .as("it is one of them")
                .isEqualTo(Answer.PAUSED);
        assertThat(catalog.resume(Kind.KEY, "2", "me")).isTrue();
        assertThat(catalog.pause(Kind.KEY, "a", FOR_EVER, "me")).isEqualTo(Answer.PAUSED);
        assertThat(fixture.checkpoints().pauses().keys())
                .hasSize(PauseCatalog.MOST)
                .contains("a")
                .doesNotContain("2");
    }

    @Test
    void whereTwoWhoPauseAtATimePassTheBoundBothHold() {
        fixture.server()
                .execute(
                        ("INSERT INTO %s (kind, name, paused_by)"
                                        + " SELECT 'key', i, 'me' FROM generate_series(1, %d) AS i")
                                .formatted(table, PauseCatalog.MOST + 1));

        assertThat(fixture.checkpoints().pauses().keys()).hasSize(PauseCatalog.MOST + 1);
    }

    @Test
    void withoutARightToTheTableNothingIsTakenForNothingHeldBack() {
        fixture.server()
                .execute(
                        "REVOKE ALL ON %s FROM \"%s\""
                                .formatted(table, fixture.settings().login().user()));

        assertThatThrownBy(() -> fixture.checkpoints().pauses())
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("paused");
        assertThatThrownBy(() -> catalog.pause(Kind.KEY, "a", FOR_EVER, "me"))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("paused");
    }
}
