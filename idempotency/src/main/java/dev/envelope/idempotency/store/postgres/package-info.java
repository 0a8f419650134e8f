/**
 * The store in Postgres: the only place with JDBC, HikariCP, the SQL files and the migrator.
 *
 * <p><b>One statement per save.</b> All changes of a turn are sent as arrays and unnested by the
 * server. The plan is a nested loop over the arrays with an index scan by key inside, so rows are
 * locked in the arrays' order, which is the order of the index. The session settings in {@code
 * Connector} exclude other plans, whatever the table's statistics are. One statement is one
 * transaction, one round trip and one fsync.
 *
 * <p><b>Incarnation of the server.</b> When a connection is opened, it reads the server's start
 * time and system identifier. A call names the incarnation that its caller's data were read in; on
 * a connection to another one, no statement is sent. Each statement also compares the start time
 * and changes nothing if it differs, which covers poolers that change the server behind an open
 * connection.
 *
 * <p><b>Five pools.</b> Lanes for the workers; one connection for the save that waits for a locked
 * row, so that it takes no lane; two for checkpoints and the heartbeat, so that commits never wait
 * for saves; one for outputs; two for callers outside, opened when the first one comes.
 *
 * <p><b>Versions.</b> Programs of several versions run on the same tables during a rolling update,
 * and an update may be rolled back. So the files of {@code Migrations} first add, and remove only
 * in a later release, and {@code application.min_program} says which programs may run.
 *
 * <p><b>Pins.</b> The first start records the settings that decide what is in the rows, in one
 * transaction, and each later one compares its own: {@code Pins}. A start with other settings is
 * refused, until a person changes the setting or confirms it.
 */
@NullMarked
package dev.envelope.idempotency.store.postgres;

import org.jspecify.annotations.NullMarked;
