package dev.envelope.integration.bench;

import java.io.IOException;
import java.sql.SQLException;

/** Puts a scenario's question to a contestant. */
@FunctionalInterface
interface Run {

    /** Once. */
    Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException;
}
