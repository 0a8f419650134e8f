/**
 * The race of work without rows: each record is a call that takes its time, and nothing is written.
 * A broker runs beside the contestants, and a Postgres that nobody uses.
 */
@NullMarked
package dev.envelope.integration.bench.peers.race;

import org.jspecify.annotations.NullMarked;
