package dev.envelope.idempotency.work;

import static java.util.Objects.requireNonNull;

import dev.envelope.idempotency.work.WorkBatch.Item;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A user's code, and how many messages it may be given at a time.
 *
 * @param most at least one
 * @param handler the user's object
 * @param inTransaction whether it gets a connection
 */
public record Calls<M>(Call<M> call, int most, Object handler, boolean inTransaction) {

    public Calls {
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one message");
        }
    }

    /** The user's code, in whichever form it was written. */
    @FunctionalInterface
    public interface Call<M> {

        /**
         * Handles messages, at least one.
         *
         * @param connection null unless it is called in a transaction
         */
        void run(List<Item<M>> batch, @Nullable Connection connection) throws Exception;
    }

    /** One message a call. */
    public static <M> Calls<M> of(Work<M> work) {
        Call<M> alone =
                (batch, none) -> {
                    Item<M> only = batch.get(0);
                    work.run(only.value(), only.message());
                };
        return new Calls<>(alone, 1, work, false);
    }

    /** Up to so many messages a call. */
    public static <M> Calls<M> of(WorkBatch<M> work, int most) {
        return new Calls<>((batch, none) -> work.run(batch), most, work, false);
    }

    /** One message a transaction. */
    public static <M> Calls<M> of(WorkInTransaction<M> work) {
        Call<M> alone =
                (batch, connection) -> {
                    Item<M> only = batch.get(0);
                    work.run(only.value(), only.message(), requireNonNull(connection));
                };
        return new Calls<>(alone, 1, work, true);
    }

    /** Up to so many messages a transaction. */
    public static <M> Calls<M> of(WorkBatchInTransaction<M> work, int most) {
        return new Calls<>(
                (batch, connection) -> work.run(batch, requireNonNull(connection)),
                most,
                work,
                true);
    }
}
