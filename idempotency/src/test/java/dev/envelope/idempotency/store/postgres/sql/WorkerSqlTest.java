package dev.envelope.idempotency.store.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The statements of a save on a worker of Citus. */
class WorkerSqlTest {

    /** Those that may have another result at another time or on another server. */
    private static final Pattern UNSTABLE =
            Pattern.compile(
                    "now\\(|clock_timestamp|nextval|random|current_|pg_\\w+\\(|interval|timestamptz|extract");

    @ParameterizedTest
    @MethodSource("dev.envelope.idempotency.store.postgres.sql.WorkerSql#all")
    void eachStatementIsOneThatCitusHandsOnAsItIs(String sql) {
        assertThat(sql).doesNotContain("ctid", "LOCK TABLE", "nextval");
        assertThat(UNSTABLE.matcher(sql).find()).as("depends on the server: %s", sql).isFalse();
        int with = sql.indexOf("WITH ");
        if (with == 0) {
            String inWith = sql.substring(0, sql.lastIndexOf(") UPDATE"));
            assertThat(inWith).doesNotContain("INSERT", "UPDATE %", "DELETE");
        }
        if (sql.startsWith("INSERT") && sql.contains("SELECT") && sql.contains("ON CONFLICT")) {
            assertThat(sql).as("would be made on the coordinator").contains(", %1$s.application");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.envelope.idempotency.store.postgres.sql.WorkerSql#all")
    void eachStatementNamesTablesOfOneSchema(String sql) {
        Matcher tables =
                Pattern.compile(
                                "(\\S+?)\\.(state|parked|parked_tally|outbox|output|timer|reply|dropped|checkpoint|application)\\b")
                        .matcher(sql);
        int found = 0;
        while (tables.find()) {
            if (!tables.group(1).matches("[a-z]")) {
                assertThat(tables.group(1)).isEqualTo("%1$s");
                found++;
            }
        }
        assertThat(found).isPositive();
        assertThat(sql.replaceAll("%1\\$s\\.\\w+", "TABLE").replaceAll("\\(SELECT", "("))
                .doesNotContainPattern("(INTO|UPDATE|JOIN) (?!TABLE)[a-z_]+");
    }
}
