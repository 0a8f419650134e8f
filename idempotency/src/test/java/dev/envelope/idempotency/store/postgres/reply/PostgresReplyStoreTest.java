package dev.envelope.idempotency.store.postgres.reply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.postgres.Plans;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.reply.ReplyStoreContract;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PostgresReplyStoreTest extends ReplyStoreContract {

    private static final int LOST_SOURCE = 1_000;

    @Override
    protected Bench open() {
        return new InTables();
    }

    private static final class InTables implements Bench {

        private final PostgresFixture fixture = new PostgresFixture();
        private final int source;

        InTables() {
            NewSource log =
                    new NewSource(
                            new TopicPartition("orders", 3), new Uuid(7, 11), new NextOffset(0, 0));
            source = fixture.checkpoints().introduce(List.of(log)).sources().get(0).number();
        }

        @Override
        public ReplyStore replies() {
            return fixture.replies();
        }

        @Override
        public void save(CommandId command, Answer answer) {
            String sql =
                    "INSERT INTO %s.reply VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                            .formatted(fixture.settings().schema());
            try (Connection connection = fixture.server().connect();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, command.key());
                statement.setString(2, command.command());
                statement.setString(3, answer.result().text());
                statement.setString(4, answer.reason());
                statement.setBytes(5, answer.value());
                statement.setBoolean(6, answer.isState());
                statement.setLong(7, answer.version());
                statement.setInt(8, answer.topic() == null ? LOST_SOURCE : source);
                statement.setLong(9, answer.offset());
                statement.setObject(10, answer.madeAt().atOffset(ZoneOffset.UTC));
                statement.executeUpdate();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            fixture.close();
        }
    }

    @Test
    void ofVeryLargeAnswersSomeAreLeftForTheNextLook() {
        try (InTables bench = new InTables()) {
            byte[] large = new byte[(int) ReplyStore.MOST_BYTES / 2 + 1];
            List<CommandId> all =
                    List.of(
                            new CommandId("a", "1"),
                            new CommandId("b", "2"),
                            new CommandId("c", "3"));
            Answer answer =
                    new Answer(
                            Result.APPLIED, null, large, false, 1, "orders", 3, 4, Instant.now());
            all.forEach(id -> bench.save(id, answer));

            assertThat(bench.replies().find(all)).hasSize(2);
        }
    }

    private static Change answering(long fromVersion, Reply... replies) {
        byte[] state = ("{\"v\": " + (fromVersion + 1) + "}").getBytes(StandardCharsets.UTF_8);
        return new Change(
                "k",
                fromVersion,
                state,
                Marks.NONE,
                null,
                0,
                new Change.Beside(
                        List.of(),
                        List.of(),
                        new HandlerEffects(List.of(), List.of(), List.of(replies))));
    }

    private static Reply reply(
            InTables bench, long offset, String command, Result result, @Nullable String value) {
        return new Reply(
                Messages.parked(bench.source, offset, "any").message(),
                command,
                result,
                result == Result.PARKED ? "no stock" : null,
                value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> said(InTables bench, String... commands) {
        List<CommandId> ids = Arrays.stream(commands).map(it -> new CommandId("k", it)).toList();
        Map<CommandId, Answer> found = bench.replies().find(ids);
        return ids.stream()
                .map(found::get)
                .map(
                        it ->
                                it == null
                                        ? "none"
                                        : it.result()
                                                + " "
                                                + it.offset()
                                                + " v"
                                                + it.version()
                                                + (it.isState() ? " state " : " ")
                                                + (it.value() == null
                                                        ? it.reason()
                                                        : new String(
                                                                it.value(),
                                                                StandardCharsets.UTF_8)))
                .toList();
    }

    @Test
    void aSaveThatWinsLeavesItsAnswersAndTheFirstOneStays() {
        try (InTables bench = new InTables()) {
            StateStore states = bench.fixture.states();
            Incarnation now = bench.fixture.checkpoints().incarnation();
            states.save(
                    List.of(
                            answering(
                                    0,
                                    reply(bench, 1, "a", Result.APPLIED, "yes"),
                                    reply(bench, 2, "b", Result.APPLIED, null),
                                    reply(bench, 3, "c", Result.PARKED, null))),
                    Patience.WAIT,
                    now);
            boolean[] lost =
                    states.save(
                            List.of(answering(0, reply(bench, 4, "d", Result.APPLIED, "no"))),
                            Patience.WAIT,
                            now);
            states.save(
                    List.of(
                            answering(
                                    1,
                                    reply(bench, 5, "a", Result.DUPLICATE, null),
                                    reply(bench, 6, "e", Result.DUPLICATE, null))),
                    Patience.WAIT,
                    now);
            assertThat(said(bench, "a", "b", "c", "d", "e"))
                    .containsExactly(
                            "APPLIED 1 v1 yes",
                            "APPLIED 2 v1 state {\"v\": 1}",
                            "PARKED 3 v1 no stock",
                            "none",
                            "DUPLICATE 6 v2 state {\"v\": 2}");
            assertThat(lost).containsExactly(false);

            Snapshot row = Objects.requireNonNull(states.load(List.of("k"), now).get("k"));
            HandlerEffects redriven =
                    new HandlerEffects(
                            List.of(),
                            List.of(),
                            List.of(
                                    reply(bench, 3, "c", Result.APPLIED, "at last"),
                                    reply(bench, 1, "a", Result.DUPLICATE, null)));
            assertThat(
                            bench.fixture.redrives(
                                    bench.fixture.start("one"),
                                    row.unparked(0),
                                    List.of(),
                                    redriven))
                    .isTrue();

            assertThat(said(bench, "a", "c"))
                    .containsExactly("APPLIED 1 v1 yes", "APPLIED 3 v3 at last");
        }
    }

    @Test
    void answersAreFoundAndForgottenByIndex() throws SQLException {
        try (InTables bench = new InTables();
                Connection connection = bench.fixture.server().connect()) {
            String schema = bench.fixture.settings().schema();
            connection.createStatement().execute("SET enable_seqscan = off");

            assertThat(Plans.of(connection, PostgresReplyStore.FIND.formatted(schema)))
                    .contains("reply_pkey");
            assertThat(Plans.of(connection, PostgresReplyStore.FORGET.formatted(schema)))
                    .contains("Index Scan using reply_pkey");
        }
    }

    /** Text that can't be compressed, in an index whose entries are a third of a page at most. */
    @Test
    void asMuchOfKeyAndNameAsIsLetInCanBeIndexed() {
        String key =
                new SplittableRandom(1)
                        .ints(2_500, '0', 'z')
                        .mapToObj(Character::toString)
                        .collect(Collectors.joining())
                        .replace('\'', 'x');
        String name = key.substring(0, 100);
        assertThat(RowKeys.canBeIndexed(key, name)).isTrue();
        assertThat(RowKeys.canBeIndexed(key, name + "x")).isFalse();
        assertThat(RowKeys.canBeIndexed("é".repeat(1_250), "é".repeat(50))).isTrue();
        assertThat(RowKeys.canBeIndexed("é".repeat(1_250), "é".repeat(51))).isFalse();
        try (PostgresFixture fixture = new PostgresFixture()) {
            String schema = fixture.settings().schema();
            fixture.server()
                    .execute(
                            "INSERT INTO %s.reply (key, command, disposition, is_state, version, source, record_offset) VALUES ('%s', '%s', 'applied', true, 1, 1, 1)"
                                    .formatted(schema, key, name));
            fixture.server()
                    .execute(
                            "INSERT INTO %s.timer (key, name, due_at, payload, record_key, source, record_offset, leader_epoch, ordinal) VALUES ('%s', '%s', now(), '', '', 1, 1, 1, 1)"
                                    .formatted(schema, key, name));
        }
    }
}
