package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Where a slot is, for people.
 *
 * @param places one, unless something is wrong
 * @param rows of all tables, as far as the server's statistics know
 * @param bytes on disk, with indexes
 * @param move under way, in a sentence; empty if there is none
 */
public record SlotEntry(int slot, List<String> places, long rows, long bytes, String move) {

    private static final String SIZE =
            "SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint,"
                    + " coalesce(sum(pg_catalog.pg_total_relation_size(oid)), 0)::bigint"
                    + " FROM pg_catalog.pg_class WHERE relkind = 'r'"
                    + " AND relnamespace = pg_catalog.to_regnamespace(?)";

    /** How large the tables of a schema are. */
    public record Size(long rows, long bytes) {

        public static Size of(Statements statements, String schema) throws SQLException {
            return statements.one(
                    SIZE,
                    row -> new Size(row.getLong(1), row.getLong(2)),
                    TableCopies.quoted(schema));
        }
    }

    /** All of them. */
    public static List<SlotEntry> all(Map<String, SlotSite> sites, int slots) {
        SlotSearch search = SlotSearch.of(sites.values());
        List<SlotEntry> all = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            Set<String> at = new LinkedHashSet<>(search.placesOf(slot, ""));
            String move = search.moving(slot).map(SlotSearch.Moving::sentence).orElse("");
            search.moving(slot).ifPresent(it -> at.add(it.from()));
            long rows = 0;
            long bytes = 0;
            for (String place : at) {
                SlotSite site = Objects.requireNonNull(sites.get(place));
                Size size = size(site, site.of(slot).schema(), move.isEmpty());
                rows += size.rows();
                bytes += size.bytes();
            }
            all.add(new SlotEntry(slot, List.copyOf(at), rows, bytes, move));
        }
        return all;
    }

    private static Size size(SlotSite site, String schema, boolean isThere) {
        return site.ask(
                connection ->
                        Size.of(
                                new Statements(connection, ""),
                                isThere ? schema : SlotSchemas.moving(schema)));
    }
}
