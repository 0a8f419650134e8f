package dev.envelope.idempotency.store.postgres.directory;

import dev.envelope.idempotency.store.directory.DirectoryStore;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What processes have told, in the table {@code instance}.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
public final class PostgresDirectory implements DirectoryStore {

    private static final String TELL =
            "UPDATE %1$s.instance SET address = ?, generation = ?, topics = ?::text[],"
                    + " partitions = ?::int[], told_at = now() WHERE name = ? AND start_id = ?";

    private static final String OWNERS =
            "SELECT name, start_id = ?, address, generation, topics, partitions"
                    + " FROM %1$s.instance WHERE told_at > now() - interval '10 s'";

    private final Tables tables;
    private final String instance;
    private final String startId;

    /** The directory as this start of this process sees it. */
    public PostgresDirectory(Tables tables, String instance, String startId) {
        this.tables = tables;
        this.instance = instance;
        this.startId = startId;
    }

    @Override
    public boolean tell(Claim claim) {
        List<TopicPartition> all = List.copyOf(claim.partitions());
        return tables.call(
                null,
                (statements, life) ->
                        statements.update(
                                        TELL,
                                        claim.address(),
                                        claim.generation(),
                                        BinaryArray.ofTexts(all, TopicPartition::topic),
                                        BinaryArray.ofInts(all, TopicPartition::partition),
                                        instance,
                                        startId)
                                > 0);
    }

    @Override
    public List<Owner> owners() {
        return tables.list(OWNERS, PostgresDirectory::owner, startId);
    }

    private static Owner owner(ResultSet row) throws SQLException {
        String[] topics = (String[]) row.getArray(5).getArray();
        Integer[] numbers = (Integer[]) row.getArray(6).getArray();
        Set<TopicPartition> partitions = new HashSet<>();
        for (int i = 0; i < topics.length; i++) {
            partitions.add(new TopicPartition(topics[i], numbers[i]));
        }
        return new Owner(
                row.getString(1),
                row.getBoolean(2),
                new Claim(row.getString(3), row.getInt(4), partitions));
    }
}
