package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Growth;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.store.postgres.operator.PostgresPauseCatalog;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Sources and their checkpoints in Postgres, on connections of their own.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresCheckpoints implements Checkpoints {

    private static final String READ =
            "SELECT g.start, s.number, s.topic, s.partition, s.topic_id, s.generation,"
                    + " s.start_offset, s.start_epoch, c.next_offset, c.leader_epoch, s.growth,"
                    + " s.growth = 0 OR s.settled_at IS NOT NULL,"
                    + " extract(epoch FROM clock_timestamp() - s.introduced_at) * 1000"
                    + " FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN (%1$s.source AS s JOIN %1$s.checkpoint AS c"
                    + " ON c.source = s.number AND c.slot = 0) ON s.topic = ANY (?::text[])";

    /** So that one of two instances introduces all sources, and the other sees them. */
    private static final String ONE_AT_A_TIME =
            "LOCK TABLE %1$s.source IN SHARE ROW EXCLUSIVE MODE";

    /** The same on a worker of Citus, which would lock a table on all its servers. */
    private static final String ONE_AT_A_TIME_ON_WORKER =
            "SELECT only_row FROM %1$s.application FOR UPDATE";

    private static final String KNOWN =
            "SELECT topic, partition, topic_id, generation, settled_at::text FROM %1$s.source"
                    + " WHERE topic = ANY (?::text[])";

    private static final String INTRODUCE =
            "INSERT INTO %1$s.source (topic, partition, topic_id, start_offset, start_epoch,"
                    + " generation, growth, settled_at) SELECT n.topic, n.partition,"
                    + " n.topic_id::uuid, n.start_offset, n.start_epoch, n.generation, n.growth,"
                    + " n.settled_at::timestamptz FROM unnest(?::text[], ?::int[], ?::text[],"
                    + " ?::bigint[], ?::int[], ?::int[], ?::int[], ?::text[]) AS n(topic, partition,"
                    + " topic_id, start_offset, start_epoch, generation, growth, settled_at)"
                    + " ON CONFLICT (topic_id, partition, generation) DO NOTHING"
                    + " RETURNING number, start_offset, start_epoch";

    private static final String BEGIN =
            "INSERT INTO %1$s.checkpoint (source, next_offset, leader_epoch) SELECT * FROM"
                    + " unnest(?::int[], ?::bigint[], ?::int[])";

    /**
     * Leader epochs start over in another cluster. The first topic id is kept: from it the ids of
     * records are made that are put out, also of those that are put out again.
     */
    private static final String ADOPT =
            "WITH adopted AS (UPDATE %1$s.source SET topic_id = ?::uuid,"
                    + " first_topic_id = coalesce(first_topic_id, topic_id)"
                    + " WHERE topic = ? AND topic_id = ?::uuid RETURNING number)"
                    + " UPDATE %1$s.checkpoint SET leader_epoch = -1"
                    + " WHERE source IN (SELECT number FROM adopted)";

    private static final String SETTLE =
            "UPDATE %1$s.source SET settled_at = now() WHERE number = ? AND settled_at IS NULL";

    private static final String SKIP =
            "WITH recorded AS (INSERT INTO %1$s.skipped AS s"
                    + " (source, first_offset, last_offset, cause, instance)"
                    + " VALUES (?, ?, ?, ?, ?) ON CONFLICT (source, first_offset) DO UPDATE"
                    + " SET last_offset = greatest(s.last_offset, excluded.last_offset)),"
                    + " raised AS (UPDATE %1$s.checkpoint SET next_offset = ?, leader_epoch = -1,"
                    + " updated_at = now() WHERE source = ? AND slot = 0 AND next_offset < ?)"
                    + " SELECT "
                    + ServerLife.START_MICROS;

    /** Returns the number of sources that exist, raised or not. */
    private static final String SAVE =
            "WITH n AS MATERIALIZED (SELECT * FROM unnest(?::int[], ?::bigint[], ?::int[])"
                    + " AS n(source, next_offset, leader_epoch)),"
                    + " raised AS (UPDATE %1$s.checkpoint AS c SET next_offset = n.next_offset,"
                    + " leader_epoch = n.leader_epoch, updated_at = now() FROM n"
                    + " WHERE c.source = n.source AND c.slot = 0"
                    + " AND (c.next_offset, c.leader_epoch) < (n.next_offset, n.leader_epoch)"
                    + " AND "
                    + ServerLife.START_MICROS
                    + " = ?)"
                    + " SELECT "
                    + ServerLife.START_MICROS
                    + ", count(*) FROM n JOIN %1$s.checkpoint AS c"
                    + " ON c.source = n.source AND c.slot = 0";

    private static final String STOPPED = "SELECT source, reason FROM %1$s.stopped";

    private static final String HEARTBEAT = "SELECT " + ServerLife.START_MICROS;

    private static final Comparator<NewSource> BY_IDENTITY =
            Comparator.<NewSource, String>comparing(source -> source.topicId().toString())
                    .thenComparingInt(source -> source.partition().partition());

    private final Tables tables;
    private final PostgresSettings settings;

    PostgresCheckpoints(Tables tables, PostgresSettings settings) {
        this.tables = tables;
        this.settings = settings;
    }

    @Override
    public Pauses pauses() {
        return new Pauses(tables.list(PostgresPauseCatalog.ALL, PostgresPauseCatalog::pause));
    }

    @Override
    public Bearings read(Set<String> topics) {
        return tables.call(null, (statements, life) -> read(statements, life, topics));
    }

    @Override
    public Bearings introduce(Collection<NewSource> sources) {
        List<NewSource> sorted = sources.stream().sorted(BY_IDENTITY).toList();
        Set<String> topics =
                sorted.stream()
                        .map(source -> source.partition().topic())
                        .collect(Collectors.toSet());
        return tables.transaction(
                null,
                (statements, life) -> {
                    if (life.isOnWorker()) {
                        statements.one(ONE_AT_A_TIME_ON_WORKER, row -> true);
                    } else {
                        statements.update(ONE_AT_A_TIME);
                    }
                    insert(statements, sorted, topics);
                    return read(statements, life, topics);
                });
    }

    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        return tables.transaction(
                null,
                (statements, life) -> {
                    statements.update(
                            ADOPT, toJava(present).toString(), topic, toJava(former).toString());
                    return read(statements, life, Set.of(topic));
                });
    }

    @Override
    public void skip(int source, List<Skip> skips, Incarnation incarnation) {
        tables.transaction(
                incarnation,
                (statements, life) -> {
                    for (Skip skip : skips) {
                        skip(statements, life, source, skip);
                    }
                    return skips.size();
                });
    }

    @Override
    public void settle(int source) {
        tables.update(SETTLE, source);
    }

    private void skip(Statements statements, ServerLife life, int source, Skip skip)
            throws SQLException {
        long of =
                statements.one(
                        SKIP,
                        row -> row.getLong(1),
                        source,
                        skip.first(),
                        skip.next() - 1,
                        skip.cause().name().toLowerCase(Locale.ROOT),
                        settings.instance(),
                        skip.next(),
                        source,
                        skip.next());
        Database.requireLife(life, of);
    }

    /** Introduces those whose topic has no other id, but for ids that it may have beside. */
    private static void insert(
            Statements statements, List<NewSource> sources, Collection<String> topics)
            throws SQLException {
        Set<UUID> beside =
                sources.stream()
                        .flatMap(source -> source.beside().stream())
                        .map(PostgresCheckpoints::toJava)
                        .collect(Collectors.toSet());
        List<Known> known =
                statements.list(
                        KNOWN, Known::of, BinaryArray.ofTexts(List.copyOf(topics), topic -> topic));
        List<NewSource> fit =
                sources.stream()
                        .filter(it -> known.stream().noneMatch(other -> other.bars(it, beside)))
                        .toList();
        List<Introduced> introduced =
                statements.list(
                        INTRODUCE,
                        Introduced::of,
                        BinaryArray.ofTexts(fit, source -> source.partition().topic()),
                        BinaryArray.ofInts(fit, source -> source.partition().partition()),
                        BinaryArray.ofTexts(fit, source -> toJava(source.topicId()).toString()),
                        BinaryArray.ofLongs(fit, source -> source.start().offset()),
                        BinaryArray.ofInts(fit, source -> source.start().leaderEpoch()),
                        BinaryArray.ofInts(fit, NewSource::generation),
                        BinaryArray.ofInts(fit, NewSource::growth),
                        BinaryArray.ofTexts(fit, source -> settledAt(source, known)));
        statements.update(
                BEGIN,
                BinaryArray.ofInts(introduced, Introduced::number),
                BinaryArray.ofLongs(introduced, it -> it.start().offset()),
                BinaryArray.ofInts(introduced, it -> it.start().leaderEpoch()));
    }

    private static @Nullable String settledAt(NewSource source, List<Known> known) {
        return known.stream()
                .filter(it -> it.isBefore(source))
                .map(Known::settledAt)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** A source that was just inserted. */
    private record Introduced(int number, NextOffset start) {

        static Introduced of(ResultSet row) throws SQLException {
            return new Introduced(row.getInt(1), new NextOffset(row.getLong(2), row.getInt(3)));
        }
    }

    /** A source that is there already. */
    private record Known(
            TopicPartition partition, UUID topicId, int generation, @Nullable String settledAt) {

        static Known of(ResultSet row) throws SQLException {
            return new Known(
                    new TopicPartition(row.getString(1), row.getInt(2)),
                    row.getObject(3, UUID.class),
                    row.getInt(4),
                    row.getString(5));
        }

        /** Whether the new one's topic is taken for this other topic of that name. */
        boolean bars(NewSource source, Set<UUID> beside) {
            return partition.topic().equals(source.partition().topic())
                    && !topicId.equals(toJava(source.topicId()))
                    && !beside.contains(topicId);
        }

        /** Whether this is the same partition in the generation before. */
        boolean isBefore(NewSource source) {
            return partition.partition() == source.partition().partition()
                    && topicId.equals(toJava(source.topicId()))
                    && generation == source.generation() - 1;
        }
    }

    private static Bearings read(Statements statements, ServerLife life, Set<String> topics)
            throws SQLException {
        List<Source> found = new ArrayList<>();
        statements.query(
                READ,
                row -> {
                    Database.requireLife(life, row.getLong(1));
                    if (row.getString(3) != null) {
                        found.add(source(row));
                    }
                },
                BinaryArray.ofTexts(List.copyOf(topics), topic -> topic));
        return new Bearings(life.incarnation(), found);
    }

    private static Source source(ResultSet row) throws SQLException {
        return new Source(
                row.getInt(2),
                new TopicPartition(row.getString(3), row.getInt(4)),
                toKafka(row.getObject(5, UUID.class)),
                row.getInt(6),
                new NextOffset(row.getLong(7), row.getInt(8)),
                new NextOffset(row.getLong(9), row.getInt(10)),
                growth(row));
    }

    /** The age matters only until the partition is settled. */
    private static Growth growth(ResultSet row) throws SQLException {
        boolean settled = row.getBoolean(12);
        long age = settled ? 0 : Math.max(0, row.getLong(13));
        return new Growth(row.getInt(11), settled, Duration.ofMillis(age));
    }

    @Override
    public Map<Integer, String> stopped() {
        return tables.call(
                null,
                (statements, life) -> {
                    Map<Integer, String> found = new HashMap<>();
                    statements.query(STOPPED, row -> found.put(row.getInt(1), row.getString(2)));
                    return found;
                });
    }

    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        List<Map.Entry<Integer, NextOffset>> sorted =
                nextBySource.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
        tables.call(
                incarnation,
                (statements, life) ->
                        statements.one(
                                SAVE,
                                row -> {
                                    Database.requireLife(life, row.getLong(1));
                                    return known(row.getLong(2), sorted);
                                },
                                BinaryArray.ofInts(sorted, Map.Entry::getKey),
                                BinaryArray.ofLongs(sorted, it -> it.getValue().offset()),
                                BinaryArray.ofInts(sorted, it -> it.getValue().leaderEpoch()),
                                life.startMicros()));
        return nextBySource.keySet();
    }

    private long known(long known, List<Map.Entry<Integer, NextOffset>> saved)
            throws RefusedSqlException {
        if (known != saved.size()) {
            throw new RefusedSqlException(
                    "the database no longer knows each of the sources "
                            + saved.stream().map(Map.Entry::getKey).toList()
                            + ": rows of "
                            + settings.schema()
                            + ".source were deleted; restore them or restart");
        }
        return known;
    }

    @Override
    public Incarnation incarnation() {
        return tables.call(
                null,
                (statements, life) -> {
                    Database.requireLife(life, statements.one(HEARTBEAT, row -> row.getLong(1)));
                    return life.incarnation();
                });
    }

    private static UUID toJava(Uuid id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    private static Uuid toKafka(UUID id) {
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
