/**
 * Effect once per envelope.
 *
 * <p>{@code IdempotentHandler} receives the engine's envelopes: load, dedupe, fold, save. The
 * packages are its stages.
 *
 * <p>A key starts from what this process saved last, if that is cached; from nothing, if it is
 * probably new; or from its row. None of these has to be right: each save is conditional on the
 * version that it started from, and what loses starts over from the row in the same turn. A wrong
 * cache entry or guess costs a second fold, and never makes a wrong row. For the same reason a
 * failed attempt counts only if the state was loaded, or is confirmed by the save of the messages
 * before it.
 *
 * <p>All changes of a turn are saved together. One that can't be stored is split off, and its
 * messages are halved until the one at fault is found. One whose row is locked is left out and
 * tried again. A save whose outcome is unknown is neither success nor failure: the row is removed
 * from the cache, and the envelope comes again.
 */
@NullMarked
package dev.envelope.idempotency;

import org.jspecify.annotations.NullMarked;
