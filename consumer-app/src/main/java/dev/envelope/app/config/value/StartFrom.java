package dev.envelope.app.config.value;

import java.time.Instant;
import java.util.function.Function;
import java.util.function.Supplier;

/** Where a topic that was never read before is begun. */
public sealed interface StartFrom {

    /** At the first record that the topic still has. */
    record Earliest() implements StartFrom {}

    /** At the records that come after the first start. */
    record Latest() implements StartFrom {}

    /** Where the consumer group of this name has committed. */
    record Committed() implements StartFrom {}

    /** At the first record of this time or later. */
    record Time(Instant instant) implements StartFrom {}

    /** Calls the function of this case. */
    default <R> R match(
            Supplier<R> earliest,
            Supplier<R> latest,
            Supplier<R> committed,
            Function<Instant, R> time) {
        if (this instanceof Earliest) {
            return earliest.get();
        }
        if (this instanceof Latest) {
            return latest.get();
        }
        if (this instanceof Committed) {
            return committed.get();
        }
        return time.apply(((Time) this).instant());
    }
}
