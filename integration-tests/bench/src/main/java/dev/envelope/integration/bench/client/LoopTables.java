package dev.envelope.integration.bench.client;

import java.util.List;

/**
 * The tables of the contestants but ours, plain columns as one would make them.
 *
 * <p>Threads: immutable.
 */
public record LoopTables(String schema) {

    private static final String COLUMNS = "(key, balance, count, last, hash)";

    /** Makes them. */
    public List<String> ddl() {
        return List.of(
                "CREATE SCHEMA " + schema,
                "CREATE TABLE "
                        + ledger()
                        + " (key text COLLATE \"C\" PRIMARY KEY, balance bigint NOT NULL,"
                        + " count bigint NOT NULL, last bigint NOT NULL, hash bigint NOT NULL)"
                        + " WITH (fillfactor = 80)",
                "CREATE TABLE "
                        + schema
                        + ".progress (partition int PRIMARY KEY, next_offset bigint NOT NULL)",
                "CREATE TABLE "
                        + seen()
                        + " (partition int, record bigint, PRIMARY KEY (partition, record))");
    }

    private String ledger() {
        return schema + ".ledger";
    }

    /** The dedupe table. */
    private String seen() {
        return schema + ".seen";
    }

    /** Adds one booking, or several whose hashes have been put together, to what is there. */
    public String addOne() {
        return "INSERT INTO "
                + ledger()
                + " AS l "
                + COLUMNS
                + " VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
                + " balance = l.balance + excluded.balance, count = l.count + excluded.count,"
                + " last = excluded.last, hash = (l.hash * ? + excluded.hash) % "
                + Balance.PRIME;
    }

    /** Adds one booking each of many accounts to what is there. */
    public String addMany() {
        return upsert(
                " balance = l.balance + excluded.balance, count = l.count + excluded.count,"
                        + " last = excluded.last, hash = (l.hash * "
                        + Balance.FACTOR
                        + " + excluded.hash) % "
                        + Balance.PRIME);
    }

    /** Puts many accounts in the place of what is there. */
    String putMany() {
        return upsert(
                " balance = excluded.balance, count = excluded.count, last = excluded.last,"
                        + " hash = excluded.hash");
    }

    private String upsert(String change) {
        return "INSERT INTO "
                + ledger()
                + " AS l "
                + COLUMNS
                + " SELECT * FROM unnest(?::text[], ?::int8[], ?::int8[], ?::int8[], ?::int8[])"
                + " ON CONFLICT (key) DO UPDATE SET"
                + change;
    }

    /** Puts many accounts in the place of rows that are there. */
    String updateMany() {
        return "UPDATE "
                + ledger()
                + " l SET balance = n.balance, count = n.count, last = n.last, hash = n.hash"
                + " FROM unnest(?::text[], ?::int8[], ?::int8[], ?::int8[], ?::int8[])"
                + " AS n "
                + COLUMNS
                + " WHERE l.key = n.key";
    }

    /** Brings in accounts that have no row. */
    public String copy() {
        return "COPY " + ledger() + " " + COLUMNS + " FROM STDIN (FORMAT binary)";
    }

    String find() {
        return "SELECT key, balance, count, last, hash FROM " + ledger() + " WHERE key = ANY (?)";
    }

    String upsertOffset() {
        return "INSERT INTO "
                + schema
                + ".progress VALUES (?, ?) ON CONFLICT (partition) DO UPDATE SET next_offset ="
                + " excluded.next_offset";
    }

    /** Marks records as seen, and tells which had not been. */
    public String see() {
        return "INSERT INTO "
                + seen()
                + " SELECT * FROM unnest(?::int4[], ?::int8[]) ON CONFLICT DO NOTHING"
                + " RETURNING partition, record";
    }
}
