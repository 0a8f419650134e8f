package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.Purged;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows of deleted keys, their purge, and old messages that come again after it. */
class DeletedRowsTest {

    private static final Duration RETENTION = Duration.ofHours(1);
    private static final Duration AUDIT = Duration.ofDays(400);

    /** The state is the text of all values since the last tombstone. */
    private static final StateCodec<String> CODEC =
            new StateCodec<>() {
                @Override
                public byte[] encode(String state) {
                    return ('"' + state + '"').getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public String decode(byte[] json) {
                    String text = new String(json, StandardCharsets.UTF_8);
                    return text.substring(1, text.length() - 1);
                }
            };

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresStore store = PostgresStore.open(fixture.settings());
    private final DeletedKeys deleted = store.deletedKeys(RETENTION, AUDIT);
    private final Incarnation now = store.checkpoints().incarnation();
    private final List<Integer> sources = introduced();
    private IdempotentHandler<String> handler = handler();

    @Test
    void whatWasAskedForIsForgottenWhenItsTimeIsOver() {
        String requests = fixture.settings().schema() + ".request";
        fixture.server()
                .execute(
                        "INSERT INTO "
                                + requests
                                + " (row_key, action, requested_by, done_at) VALUES"
                                + " ('old', 'drop', 'me', now() - interval '401 days'),"
                                + " ('young', 'drop', 'me', now() - interval '399 days'),"
                                + " ('open', 'drop', 'me', NULL)");

        purgeAnew(deleted);

        assertThat(fixture.server().query("SELECT string_agg(row_key, ' ') FROM " + requests))
                .isEqualTo("young open");
    }

    @AfterEach
    void close() {
        store.close();
        fixture.close();
    }

    private List<Integer> introduced() {
        List<NewSource> two =
                IntStream.range(0, 2)
                        .mapToObj(
                                partition ->
                                        new NewSource(
                                                new TopicPartition("t", partition),
                                                new Uuid(1, 1),
                                                new NextOffset(0, 0)))
                        .toList();
        return store.checkpoints().introduce(two).sources().stream()
                .map(source -> source.number())
                .sorted()
                .toList();
    }

    private IdempotentHandler<String> handler() {
        EnvelopeFold<String, String> fold =
                new EnvelopeFold<>(
                        (state, value, message) ->
                                value == null ? null : state == null ? value : state + value,
                        CODEC,
                        (bytes, message) -> new String(bytes, StandardCharsets.UTF_8),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        1_000);
        return new IdempotentHandler<>(fold, store.states(), 1 << 20, Telemetry.NONE);
    }

    /** It has seen so many keys that were new that it does not look for one any more. */
    private IdempotentHandler<String> handlerThatGuesses() {
        IdempotentHandler<String> guessing = handler();
        PartitionEpoch elsewhere = epoch(1, 0);
        Envelope[] envelopes =
                IntStream.range(0, 600)
                        .mapToObj(
                                i -> {
                                    String key = "new " + i;
                                    Message message = Records.message(elsewhere, i, key, "v");
                                    return Envelope.of(key, List.of(message));
                                })
                        .toArray(Envelope[]::new);
        guessing.handle(new HandTurn(envelopes));
        return guessing;
    }

    /** The partition, positioned when everything below the offset was durable. */
    private PartitionEpoch epoch(int partition, long durableBelow) {
        return new PartitionEpoch(
                7,
                new TopicPartition("t", partition),
                sources.get(partition),
                Set.of(),
                now,
                new NextOffset(durableBelow, NextOffset.NO_EPOCH));
    }

    private void apply(PartitionEpoch epoch, String key, long offset, @Nullable String... values) {
        List<Message> messages =
                IntStream.range(0, values.length)
                        .mapToObj(i -> Records.message(epoch, offset + i, key, values[i]))
                        .toList();
        HandTurn turn = new HandTurn(Envelope.of(key, messages));
        handler.handle(turn);
    }

    private void checkpoint(int partition, long offset) {
        store.checkpoints().save(Map.of(sources.get(partition), new NextOffset(offset, 0)), now);
    }

    private void hoursPass(int hours) {
        fixture.server()
                .executeWhereRowsAre(
                        "state",
                        fixture.settings(),
                        "UPDATE %s SET updated_at = updated_at - interval '%d hours'"
                                .formatted("%s", hours));
    }

    private String rows() {
        return fixture.server()
                .query(
                        "SELECT coalesce(string_agg(key || '=' || coalesce(state#>>'{}', 'gone')"
                                + " || ' ' || marks, ', ' ORDER BY key), '') FROM "
                                + fixture.settings().schema()
                                + ".state WHERE key !~ '^new [0-9]'");
    }

    private Purged purgeAnew() {
        return purgeAnew(deleted);
    }

    private Purged purgeAnew(DeletedKeys by) {
        fixture.server()
                .execute(
                        "UPDATE "
                                + fixture.settings().schema()
                                + ".purge SET begins_at = now(), next_page = 0");
        return by.purgeSome();
    }

    private String mark(int partition, long offset) {
        return sources.get(partition) + ":" + offset + "@0";
    }

    @Test
    void relaysOfProcessesThatEndedLongAgoAreForgottenOnceNothingIsLeftOfThem() {
        String schema = fixture.settings().schema();
        fixture.server()
                .execute(
                        ("INSERT INTO %1$s.relay (number, instance, start_id, seen_at, positions,"
                                        + " served_by) OVERRIDING SYSTEM VALUE VALUES"
                                        + " (11, 'young', '', now() - interval '24 hours', '{}', NULL),"
                                        + " (12, 'old', '', now() - interval '26 hours', '{}', NULL),"
                                        + " (13, 'served', '', now() - interval '26 hours', '{}', 14),"
                                        + " (14, 'serves', '', now() - interval '26 hours', '{}', NULL),"
                                        + " (15, 'batch', '', now() - interval '26 hours', '{1}', NULL),"
                                        + " (16, 'rows', '', now() - interval '26 hours', '{}', NULL);"
                                        + " INSERT INTO %1$s.output (relay, lanes, topics, keys, vals,"
                                        + " sources, offsets, epochs, ordinals, bytes) VALUES"
                                        + " (16, '{1}', '{t}', '{k}', '{v}', '{1}', '{1}', '{1}', '{1}', 9)")
                                .formatted(schema));
        String left =
                "SELECT string_agg(number::text, ' ' ORDER BY number) FROM " + schema + ".relay";

        deleted.purgeSome();
        assertThat(fixture.server().query(left)).isEqualTo("0 11 14 15 16");

        fixture.server().execute("UPDATE " + schema + ".purge SET begins_at = now()");
        deleted.purgeSome();
        assertThat(fixture.server().query(left)).isEqualTo("0 11 15 16");
    }

    @Test
    void onlyOldRowsWithoutAStateAreTakenAndOnlyBelowTheCheckpointOfEachOfTheirSources() {
        apply(epoch(0, 0), "old", 0, "a", null);
        apply(epoch(0, 0), "living", 2, "a");
        apply(epoch(0, 0), "ahead", 9, "a", null);
        apply(epoch(0, 0), "moved", 3, "a", null);
        apply(epoch(1, 0), "moved", 5, "b", null);
        hoursPass(2);
        apply(epoch(0, 0), "young", 4, "a", null);
        checkpoint(0, 10);
        checkpoint(1, 6);

        assertThat(deleted.purgeSome().rows()).isEqualTo(1);
        assertThat(rows()).doesNotContain("old").contains("ahead", "moved", "living", "young");

        checkpoint(1, 7);
        assertThat(purgeAnew().rows()).isEqualTo(1);
        checkpoint(0, 11);
        assertThat(purgeAnew().rows()).isEqualTo(1);
        assertThat(rows()).isEqualTo("living=a " + mark(0, 3) + ", young=gone " + mark(0, 6));
    }

    @Test
    void withAPurgedRowItsTimersEnd() {
        String timers = fixture.settings().schema() + ".timer";
        apply(epoch(0, 0), "gone", 0, "a", null);
        apply(epoch(0, 0), "living", 2, "a");
        fixture.server()
                .execute(
                        "INSERT INTO %s (key, name, due_at, payload, source, record_offset,"
                                        .formatted(timers)
                                + " leader_epoch, ordinal) VALUES ('gone', 'x', now(), '', 1, 0, 0, 1),"
                                + " ('gone', 'y', now(), '', 1, 0, 0, 2),"
                                + " ('living', 'x', now(), '', 1, 2, 0, 1)");
        hoursPass(2);
        checkpoint(0, 10);

        assertThat(purgeAnew().rows()).isEqualTo(1);

        assertThat(fixture.server().query("SELECT string_agg(key || name, ' ') FROM " + timers))
                .isEqualTo("livingx");
    }

    @Test
    void aDeletedKeyDoesNotComeBackThoughTheLogIsReadAgainFromItsBeginning() {
        apply(epoch(0, 0), "a", 0, "x", null);
        apply(epoch(0, 0), "b", 2, "y");
        checkpoint(0, 3);
        PartitionEpoch again = epoch(0, 3);

        handler = handler();
        apply(again, "a", 0, "x");
        assertThat(rows()).as("its marks stay").startsWith("a=gone " + mark(0, 2) + ", b=y");

        hoursPass(2);
        assertThat(deleted.purgeSome().rows()).isEqualTo(1);
        for (boolean guesses : List.of(false, true)) {
            handler = guesses ? handlerThatGuesses() : handler();
            apply(again, "a", 0, "x");
            apply(again, "a", 0, "x", null);
            apply(again, "b", 2, "y");
        }

        assertThat(rows()).isEqualTo("b=y " + mark(0, 3));
    }

    @Test
    void aPurgedKeyThatComesBackBeginsAnewAndKeepsTheMarksOfItsOwnSourcesOnly() {
        apply(epoch(0, 0), "a", 0, "x", null);
        apply(epoch(1, 0), "z", 0, "x", null);
        checkpoint(0, 2);
        checkpoint(1, 2);
        hoursPass(2);
        assertThat(deleted.purgeSome().rows()).isEqualTo(2);

        apply(epoch(0, 2), "a", 0, "x", null, "new", "er");
        handler = handler();
        apply(epoch(0, 4), "a", 0, "x", null, "new", "er", "!");

        assertThat(rows()).isEqualTo("a=newer! " + mark(0, 5));
    }

    @Test
    void aRowThatCameBackInAnotherPartitionTakesNoOldMessagesOfThePurgedOne() {
        apply(epoch(0, 0), "a", 0, "x", null);
        checkpoint(0, 2);
        hoursPass(2);
        assertThat(deleted.purgeSome().rows()).isEqualTo(1);

        apply(epoch(1, 0), "a", 5, "new");
        PartitionEpoch again = epoch(0, 2);
        apply(again, "a", 0, "x"); // the row is cached
        handler = handler();
        apply(again, "a", 0, "x"); // and now it is not
        handler = handlerThatGuesses();
        apply(again, "a", 0, "x", null);

        assertThat(rows()).isEqualTo("a=new " + mark(1, 6));
        apply(again, "a", 1, null, "er");
        assertThat(rows()).isEqualTo("a=newer " + mark(0, 3) + " " + mark(1, 6));
    }

    @Test
    void messagesThatNobodyAppliedYetAreNeverTakenForThoseOfAPurgedKey() {
        apply(epoch(0, 0), "a", 10, "x", null);
        checkpoint(0, 12);
        hoursPass(2);
        assertThat(deleted.purgeSome().rows()).isEqualTo(1);

        apply(epoch(0, 12), "new", 12, "y");
        apply(epoch(1, 0), "other partition", 3, "z");

        assertThat(rows()).isEqualTo("new=y " + mark(0, 13) + ", other partition=z " + mark(1, 4));
    }

    @Test
    void twoProcessesOfOneNameDoNotPurgeAtOnce() {
        apply(epoch(0, 0), "a", 0, "x", null);
        checkpoint(0, 2);
        assertThat(purgeAnew().rows()).as("nothing is old yet, but it is ours now").isZero();
        hoursPass(2);
        try (PostgresStore same = PostgresStore.open(fixture.settings())) {
            assertThat(purgeAnew(same.deletedKeys(RETENTION, AUDIT)).rows()).isZero();
        }
        assertThat(purgeAnew().rows()).isEqualTo(1);
    }

    @Test
    void aRowThatSomebodyIsWritingToStays() throws Exception {
        apply(epoch(0, 0), "a", 0, "x", null);
        checkpoint(0, 2);
        hoursPass(2);
        try (Connection writer = fixture.server().connect();
                Statement statement = writer.createStatement()) {
            writer.setAutoCommit(false);
            statement.executeUpdate(
                    "UPDATE "
                            + fixture.settings().schema()
                            + ".state SET state = '\"new\"', version = version + 1");

            assertThat(deleted.purgeSome().rows()).isZero();
            writer.commit();
        }
        assertThat(purgeAnew().rows()).isZero();
        assertThat(rows()).startsWith("a=new");
    }

    @Test
    void rowsWithParkedMessagesStay() {
        apply(epoch(0, 0), "a", 0, "x", null);
        checkpoint(0, 2);
        hoursPass(2);
        fixture.server().execute("UPDATE " + fixture.settings().schema() + ".state SET parked = 1");

        assertThat(deleted.purgeSome().rows()).isZero();
    }

    @Test
    void oneProcessAtATimeWalksThroughTheWholeTableAndThenRests() {
        String schema = fixture.settings().schema();
        fixture.server()
                .execute(
                        ("INSERT INTO %s.state (key, version, marks, updated_at) SELECT"
                                        + " 'key ' || n || repeat('.', 100), 2, '%s',"
                                        + " now() - interval '2 hours'"
                                        + " FROM generate_series(1, 30000) AS n")
                                .formatted(schema, mark(0, 2)));
        checkpoint(0, 2);
        int rows = 0;
        int slices = 0;
        Purged purged;
        try (PostgresStore another = PostgresStore.open(fixture.settings("another"))) {
            do {
                purged = deleted.purgeSome();
                rows += purged.rows();
                slices++;
                assertThat(another.deletedKeys(RETENTION, AUDIT).purgeSome())
                        .isEqualTo(Purged.NOT_NOW);
            } while (purged.goesOn());
        }

        assertThat(rows).isEqualTo(30_000);
        assertThat(slices).isGreaterThan(2);
        assertThat(deleted.purgeSome()).as("it rests").isEqualTo(Purged.NOT_NOW);
        assertThat(Arrays.asList(rows().split(", "))).containsExactly("");
    }

    /** One on deleted rows would keep every update of a state from staying within its page. */
    @Test
    void rowsHaveNoIndexBesidesTheKeys() {
        assertThat(
                        fixture.server()
                                .query(
                                        "SELECT string_agg(indexname, ',') FROM pg_indexes WHERE"
                                                + " tablename = 'state' AND schemaname = '"
                                                + fixture.settings().schema()
                                                + "'"))
                .isEqualTo("state_pkey");
    }
}
