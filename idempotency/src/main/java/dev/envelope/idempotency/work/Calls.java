package dev.envelope.idempotency.work;

import dev.envelope.idempotency.work.WorkBatch.Item;

/**
 * A user's code, and how many messages it may be given at a time.
 *
 * @param most at least one
 * @param handler the user's object
 */
public record Calls<M>(WorkBatch<M> work, int most, Object handler) {

    public Calls {
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one message");
        }
    }

    /** One message a call. */
    public static <M> Calls<M> of(Work<M> work) {
        WorkBatch<M> alone =
                batch -> {
                    Item<M> only = batch.get(0);
                    work.run(only.value(), only.message());
                };
        return new Calls<>(alone, 1, work);
    }

    /** Up to so many messages a call. */
    public static <M> Calls<M> of(WorkBatch<M> work, int most) {
        return new Calls<>(work, most, work);
    }
}
