/**
 * Rows that are divided by key into slots, each with tables of its own, and where the slots are: at
 * places, which are databases that fail for themselves.
 *
 * <p>A turn saves at one place. So no promise needs a transaction over two servers: state, marks
 * and parked messages belong to one key. What is about a whole partition is in two: its source has
 * one number in all slots, given by the first slot, its home; and a checkpoint in each slot that it
 * feeds, of which the lowest says where it goes on. A slot that was restored from an older copy has
 * a lower checkpoint, and gets again what it has lost; the marks of the other rows absorb that.
 */
@NullMarked
package dev.envelope.idempotency.store.place;

import org.jspecify.annotations.NullMarked;
