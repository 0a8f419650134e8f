/**
 * Three applications in a chain, each of which reads what the one before emits, while their
 * processes are killed: everything has to arrive once, and in order.
 *
 * <p>{@link dev.envelope.integration.chain.ChainMain} is the process under test. It has a wrapper
 * of the test around its sender, the only place where it can be made to end at a point of its
 * choosing ({@link dev.envelope.integration.chain.Stage}) or to get the relay wrong on purpose
 * ({@link dev.envelope.integration.chain.Flaw}).
 */
@NullMarked
package dev.envelope.integration.chain;

import org.jspecify.annotations.NullMarked;
