/**
 * The local stack: a real broker and a real Postgres as processes of this machine, for tests, demo
 * and benchmarks.
 *
 * <p>A {@link dev.envelope.integration.stack.Workspace} is a temporary folder and the processes
 * that live in it, and the two end together: on {@code close}, in a shutdown hook, and, should this
 * JVM be killed with -9, by the hand of the {@link dev.envelope.integration.stack.Reaper}, a small
 * shell process that waits for the end of its input. Everything that runs is a {@link
 * dev.envelope.integration.stack.ChildProcess}, in a session of its own, so that a Ctrl-C in the
 * terminal reaches this JVM alone and the order of stopping stays ours.
 *
 * <p>Each {@link dev.envelope.integration.stack.Server} can be stopped, killed, paused and started
 * again with its data on the same port. {@link dev.envelope.integration.stack.LocalStack} puts both
 * together.
 */
@NullMarked
package dev.envelope.integration.stack;

import org.jspecify.annotations.NullMarked;
