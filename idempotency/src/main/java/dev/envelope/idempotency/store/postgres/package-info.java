/**
 * The rows, the sources and the checkpoints in Postgres: the only place with JDBC, HikariCP, the
 * SQL files and the migrator.
 *
 * <p><b>One statement per save.</b> All changes of a turn travel as arrays and are unnested by the
 * server. The plan is a nested loop over the arrays with the key's index inside, so rows are locked
 * in the arrays' order, which is the order of the index; the session settings in {@code Connector}
 * leave the planner no other choice, whatever the table's statistics say. One statement is one
 * transaction, one round trip and one fsync.
 *
 * <p><b>Which life of the server.</b> Each connection reads once, when it is opened, when its
 * server was started and what cluster it is. A call names the incarnation that its caller's
 * knowledge comes from; on a connection of another one nothing is sent. Each statement carries the
 * start time as well and touches nothing where it does not fit, which covers poolers that change
 * the server behind an open connection.
 *
 * <p><b>Three pools.</b> Lanes for the workers; one connection for rows that travel alone, so that
 * a locked row takes no lane; two for checkpoints and the heartbeat, so that commits never wait for
 * saves.
 *
 * <p><b>Versions.</b> Programs of several versions run on the same tables while processes are
 * replaced one by one, and somebody may go back. So the files of {@code Migrations} add first and
 * take away in a later release, and {@code application.min_program} says which programs may run.
 *
 * <p><b>Pins.</b> Settings that decide what is in the rows are written down by the first start, in
 * one transaction, and compared by each later one: {@code Pins}. With others it is refused, until
 * somebody changes the setting or confirms it.
 */
@NullMarked
package dev.envelope.idempotency.store.postgres;

import org.jspecify.annotations.NullMarked;
