package dev.envelope.integration.bench.client;

import java.sql.SQLException;
import java.util.Map;

/** Starts a contestant in this process. */
@FunctionalInterface
public interface Starter {

    /** Returns when it is at work, or about to be. */
    Client start(ClientSpec spec, Observer observer) throws SQLException;

    /** Contestants that are made elsewhere; found as a service, so that nobody needs them. */
    interface Peers {

        /** By their names on the command line of the benchmark. */
        Map<String, Starter> starters();
    }
}
