package dev.envelope.app.config.value;

import java.util.function.Function;
import java.util.function.Supplier;

/** Where to find the event id by which a producer's duplicates are recognized. */
public sealed interface DedupeId {

    /** Nowhere: every record counts as an event of its own. */
    record None() implements DedupeId {}

    /** In a header of this name. */
    record Header(String name) implements DedupeId {}

    /** In the CloudEvents attributes source and id. */
    record CloudEvents() implements DedupeId {}

    /** In the JSON value, at this pointer (RFC 6901). */
    record JsonPointer(String pointer) implements DedupeId {}

    /** Calls the function of this case. */
    default <R> R match(
            Supplier<R> none,
            Function<String, R> header,
            Supplier<R> cloudEvents,
            Function<String, R> jsonPointer) {
        if (this instanceof Header it) {
            return header.apply(it.name());
        }
        if (this instanceof CloudEvents) {
            return cloudEvents.get();
        }
        if (this instanceof JsonPointer it) {
            return jsonPointer.apply(it.pointer());
        }
        return none.get();
    }
}
