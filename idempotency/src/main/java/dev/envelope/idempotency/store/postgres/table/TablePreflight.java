package dev.envelope.idempotency.store.postgres.table;

import dev.envelope.idempotency.store.postgres.schema.Problem;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.Sentences;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.table.TableSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of the table before a start. */
public final class TablePreflight {

    private static final Logger log = LoggerFactory.getLogger(TablePreflight.class);

    private final PostgresSettings settings;
    private final TableSettings table;
    private final int slots;

    /**
     * @param slots among which it is divided
     */
    public TablePreflight(PostgresSettings settings, TableSettings table, int slots) {
        this.settings = settings;
        this.table = table;
        this.slots = slots;
    }

    /** All problems; empty if it can be read. A missing index is only told of. */
    public List<Problem> problems() {
        Connector connector = new Connector(settings, settings.timeouts().lock());
        try (Connection connection = connector.getConnection()) {
            if (connector.lifeOf(connection).isOnWorker()) {
                return List.of(new Problem(Problem.Cure.CHANGE, Sentences.NO_TABLE_ON_CITUS));
            }
            TableSql sql = new TableSql(table);
            Statements statements = new Statements(connection, settings.quotedSchema());
            List<String> sentences = new ArrayList<>(TableFinder.problems(sql, statements));
            if (sql.isFound() && slots > 1 && !sql.isDivisible()) {
                sentences.add(sql.indivisible());
            } else if (sql.isFound()) {
                plan(sql, statements).ifPresent(sentences::add);
            }
            return sentences.stream().map(it -> new Problem(Problem.Cure.CHANGE, it)).toList();
        } catch (SQLException e) {
            Problem.Cure cure =
                    SqlErrors.fault(e) == SqlErrors.Fault.REFUSED
                            ? Problem.Cure.CHANGE
                            : Problem.Cure.WAIT;
            String sentence = new SqlErrors(settings).unavailable(e).getMessage();
            return List.of(new Problem(cure, String.valueOf(sentence)));
        }
    }

    /** A page has to follow an index, even if the whole table may not be read at all. */
    private Optional<String> plan(TableSql sql, Statements statements) throws SQLException {
        String page = sql.page(0, slots, true).replace("%", "%%").replace("LIMIT ?", "LIMIT 100");
        List<String> plan;
        try {
            plan = statements.list("EXPLAIN (COSTS OFF) " + page, row -> row.getString(1));
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.startsWith("42") || state.startsWith("22") || state.startsWith("0A")) {
                return Optional.of(
                        "the table can't be read, look at table.where: " + e.getMessage());
            }
            throw e;
        }
        if (plan.stream().anyMatch(it -> it.contains("Seq Scan") || it.contains("Sort"))) {
            log.warn(
                    "no index has the order in which {} is read, so that each page reads all of it:"
                            + " CREATE INDEX CONCURRENTLY ON {} (\"{}\", \"{}\")",
                    sql.table(),
                    sql.table(),
                    table.key(),
                    table.id());
        } else if (table.done() != null
                && plan.stream()
                        .anyMatch(it -> it.contains("Filter:") && it.contains(table.done()))) {
            log.warn(
                    "each pass reads the rows of {} that are done, too: give the index a WHERE that"
                            + " leaves them out",
                    sql.table());
        }
        return Optional.empty();
    }
}
