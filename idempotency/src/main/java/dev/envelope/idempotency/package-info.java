/**
 * Effect once per envelope.
 *
 * <p>{@code IdempotentHandler} is where the engine's envelopes arrive: load, dedupe, fold, save.
 * The packages are its stages, in the order of the flow.
 *
 * <p>A key starts from what this process saved last, if that is cached; or from nothing, if it is
 * probably new; or from its row. None of these is asked to be right: each save is conditional on
 * the version that it started from, and what loses begins again from the row, in the same turn. So
 * the cache and the guess cost a second fold when they are wrong, and never a wrong row. For the
 * same reason an attempt of a message counts only where its state was loaded, or is confirmed by
 * the save of the messages before it.
 *
 * <p>All changes of a turn are saved together. One that can't be stored is split off and its
 * messages are halved until the one at fault is known; one whose row is locked is left out and
 * tried again; a save that nobody knows the outcome of is neither success nor failure: the cache
 * forgets, and the envelope comes again.
 */
@NullMarked
package dev.envelope.idempotency;

import org.jspecify.annotations.NullMarked;
