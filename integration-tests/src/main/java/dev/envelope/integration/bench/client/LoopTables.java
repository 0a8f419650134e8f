package dev.envelope.integration.bench.client;

import java.util.List;

/**
 * The tables of the hand-written loops, plain columns as one would make them.
 *
 * <p>Threads: immutable.
 */
public record LoopTables(String schema) {

    private static final String ON_CONFLICT =
            " ON CONFLICT (key) DO UPDATE SET balance = l.balance + excluded.balance,"
                    + " count = l.count + excluded.count, last = excluded.last";

    /** Makes them. */
    public List<String> ddl() {
        return List.of(
                "CREATE SCHEMA " + schema,
                "CREATE TABLE "
                        + schema
                        + ".ledger (key text COLLATE \"C\" PRIMARY KEY, balance bigint NOT NULL,"
                        + " count bigint NOT NULL, last bigint NOT NULL) WITH (fillfactor = 80)",
                "CREATE TABLE "
                        + schema
                        + ".progress (partition int PRIMARY KEY, next_offset bigint NOT NULL)");
    }

    String upsertMany() {
        return insert()
                + " SELECT * FROM unnest(?::text[], ?::int8[], ?::int8[], ?::int8[])"
                + ON_CONFLICT;
    }

    String upsertOne() {
        return insert() + " VALUES (?, ?, ?, ?)" + ON_CONFLICT;
    }

    private String insert() {
        return "INSERT INTO " + schema + ".ledger AS l (key, balance, count, last)";
    }

    String upsertOffset() {
        return "INSERT INTO "
                + schema
                + ".progress VALUES (?, ?) ON CONFLICT (partition) DO UPDATE SET next_offset ="
                + " excluded.next_offset";
    }
}
