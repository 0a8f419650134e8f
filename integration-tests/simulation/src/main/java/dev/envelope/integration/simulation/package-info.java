/**
 * The whole engine on one thread, out of one seed.
 *
 * <p>A seed makes a log, a group with a few instances, a database, and a plan of faults; everything
 * that happens is an event of one {@code Scheduler} with virtual time. The instances are the
 * production classes, wired to a simulated client, timer, background and store. Whatever blocks in
 * production (a call to the store, a slow fold, a wait in a rebalance callback) runs other events
 * for as long as it takes, nested in itself: so other workers, other instances and faults come in
 * between. A process that is killed throws {@code ProcessKilled} out of whatever it was inside.
 *
 * <p>Checks run when something becomes durable or is promised: a save, a checkpoint, a commit, the
 * beginning of a fold or a turn. Each save is compared with what the log says lies between the
 * row's former marks and its present ones. One seed in two goes on when the faults are over: then
 * the lag must reach zero.
 */
@NullMarked
package dev.envelope.integration.simulation;

import org.jspecify.annotations.NullMarked;
