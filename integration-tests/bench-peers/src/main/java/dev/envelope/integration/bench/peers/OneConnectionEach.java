package dev.envelope.integration.bench.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import dev.envelope.integration.stack.Database;

/**
 * A pool with a connection for each thread, so that nobody waits for one. The driver keeps the
 * statements that a connection has prepared.
 *
 * <p>Threads: thread-safe (the pool is).
 */
final class OneConnectionEach extends HikariDataSource {

    OneConnectionEach(Database database, int threads) {
        super(config(database, threads));
    }

    private static HikariConfig config(Database database, int threads) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(threads);
        config.setMinimumIdle(threads);
        config.addDataSourceProperty("prepareThreshold", "1");
        return config;
    }
}
