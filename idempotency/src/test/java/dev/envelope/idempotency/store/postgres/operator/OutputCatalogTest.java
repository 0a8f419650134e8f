package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.OutputCatalog.Done;
import dev.envelope.idempotency.store.operator.OutputCatalog.Refused;
import dev.envelope.idempotency.store.operator.OutputCatalog.Topic;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators see of outputs, and what they decide of refused ones. */
class OutputCatalogTest {

    private final PostgresFixture fixture = new PostgresFixture();
    private final String schema = fixture.settings().schema();
    private final OutputCatalog catalog =
            new PostgresOutputCatalog(OperatorConnection.open(fixture.settings()));

    /** Position 1 waits; 2 has two outputs of a save, 3 has one, both are refused. */
    @BeforeEach
    void save() {
        execute("INSERT INTO %1$s.relay (instance, start_id) VALUES ('a', 'a-1')");
        output(1, "'{orders}'", "'{k1}'", "NULL");
        output(2, "'{orders,orders}'", "'{k2,NULL}'", "'too large'");
        output(3, "'{bills}'", "'{k3}'", "'no such topic'");
    }

    private void output(long position, String topics, String keys, String refused) {
        execute(
                "INSERT INTO %1$s.output (relay, position, lanes, topics, keys, vals, sources,"
                        + " offsets, epochs, ordinals, bytes, refused, refused_at, tries) SELECT"
                        + " max(number), "
                        + position
                        + ", '{1}', "
                        + topics
                        + ", "
                        + keys
                        + ", '{v}', '{1}', '{1}', '{1}', '{1}', 10, "
                        + refused
                        + ", now(), 3 FROM %1$s.relay");
    }

    private void execute(String sql) {
        fixture.server().execute(sql.formatted(schema));
    }

    @AfterEach
    void close() {
        catalog.close();
        fixture.close();
    }

    private List<Long> refused() {
        return catalog.refused(0, 10).stream().map(Refused::position).toList();
    }

    private List<String> audited() {
        try (RequestCatalog requests =
                new PostgresRequestCatalog(OperatorConnection.open(fixture.settings()))) {
            return requests.audit(null, 10).stream()
                    .map(it -> it.who() + " " + it.what() + " " + it.name() + " " + it.answer())
                    .toList();
        }
    }

    @Test
    void whatWaitsIsCountedByTopicAndSaidIfNobodySendsIt() {
        OutputCatalog.Waiting waiting = catalog.waiting(100);
        assertThat(waiting.topics())
                .extracting(Topic::topic, Topic::outputs, Topic::refused)
                .containsExactly(tuple("bills", 1L, 1L), tuple("orders", 3L, 2L));
        assertThat(waiting.isTended()).isTrue();

        execute("UPDATE %1$s.relay SET seen_at = now() - interval '16 s' WHERE number > 0");
        assertThat(catalog.waiting(100).isTended()).isFalse();
    }

    @Test
    void whatIsRefusedIsToldWithItsTopicItsKeyAndTheReason() {
        List<Refused> all = catalog.refused(0, 10);

        assertThat(refused()).containsExactly(2L, 2L, 3L);
        assertThat(all.get(0).key()).isEqualTo("k2");
        assertThat(all.get(1).key()).isNull();
        assertThat(all.get(2).topic()).isEqualTo("bills");
        assertThat(all.get(2).why()).isEqualTo("no such topic");
        assertThat(all.get(2).tries()).isEqualTo(3);
        assertThat(catalog.refused(2, 10)).hasSize(1);
    }

    @Test
    void whatIsDroppedIsGoneAndTheRecordSaysWhoHasDoneIt() {
        assertThat(catalog.drop(2, "me")).isEqualTo(new Done(2, 0));

        assertThat(refused()).containsExactly(3L);
        assertThat(catalog.waiting(100).topics()).hasSize(2);
        assertThat(audited())
                .singleElement()
                .asString()
                .startsWith("me drop output orders outputs: 2, position: 2, refused since ");
        assertThat(catalog.drop(2, "me")).as("it is gone").isEqualTo(new Done(0, 0));
        assertThat(catalog.drop(1, "me")).as("it was not refused").isEqualTo(new Done(0, 0));
        assertThat(audited()).hasSize(1);
    }

    @Test
    void whatIsRetriedIsSentLikeOthersAgain() {
        assertThat(catalog.retry(3L, "me")).isEqualTo(new Done(1, 0));
        assertThat(refused()).containsExactly(2L, 2L);
        assertThat(catalog.retry(null, "me")).isEqualTo(new Done(2, 0));

        assertThat(refused()).isEmpty();
        assertThat(catalog.waiting(100).topics())
                .extracting(Topic::outputs)
                .containsExactly(1L, 3L);
        assertThat(audited()).hasSize(2).allMatch(it -> it.startsWith("me retry output "));
    }

    @Test
    void whatIsInAnOpenBatchIsLeftAlone() {
        execute("UPDATE %1$s.relay SET batch = 1, positions = '{2}', parts = '{0}'");

        assertThat(catalog.drop(2, "me")).isEqualTo(new Done(0, 2));
        assertThat(catalog.retry(null, "me")).isEqualTo(new Done(1, 2));
        assertThat(refused()).containsExactly(2L, 2L);
    }

    @Test
    void whileARelayOpensABatchNothingIsDecided() throws SQLException {
        try (Connection relay = fixture.server().connect();
                Statement statement = relay.createStatement()) {
            relay.setAutoCommit(false);
            statement.execute("UPDATE " + schema + ".relay SET batch = 1, positions = '{2}'");

            assertThatThrownBy(() -> catalog.drop(2, "me"))
                    .isInstanceOf(UnavailableException.class);
            relay.rollback();
        }
        try (OutputCatalog again =
                new PostgresOutputCatalog(OperatorConnection.open(fixture.settings()))) {
            assertThat(again.drop(2, "me")).isEqualTo(new Done(2, 0));
        }
    }
}
