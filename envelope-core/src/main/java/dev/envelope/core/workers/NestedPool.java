package dev.envelope.core.workers;

import java.util.List;

/**
 * The place of a worker that is a pool itself: it has no thread and no mailbox but those of that
 * pool's workers.
 *
 * <p>Threads: guarded by the outer pool's lock.
 */
final class NestedPool<M, R> implements Place<M, R> {

    private final Places<M, R> outer;
    private Places<M, R> inner;

    NestedPool(Places<M, R> outer, Places<M, R> inner) {
        this.outer = outer;
        this.inner = inner;
        inner.becomePartOf(outer);
    }

    @Override
    public boolean offer(Letter<M, R> letter, boolean first) {
        if (inner.isClosed()) {
            inner = outer.inPlaceOf(inner);
            inner.becomePartOf(outer);
        }
        return inner.offer(letter);
    }

    @Override
    public void wake() {}

    @Override
    public List<Letter<M, R>> dismiss() {
        return inner.dismiss();
    }

    boolean hasEnded() {
        return inner.haveEnded();
    }

    /** What is left of the time; 0 if it did not do. */
    long closeWithin(long nanos) {
        return inner.closeWithin(nanos);
    }
}
