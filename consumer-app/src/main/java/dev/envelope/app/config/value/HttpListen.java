package dev.envelope.app.config.value;

import java.util.function.Function;
import java.util.function.Supplier;

/** Where the operations pages listen. */
public sealed interface HttpListen {

    /** Nowhere. */
    record Off() implements HttpListen {}

    /** At this address. */
    record At(HostPort address) implements HttpListen {}

    /** Calls the function of this case. */
    default <R> R match(Supplier<R> off, Function<HostPort, R> at) {
        return this instanceof At it ? at.apply(it.address()) : off.get();
    }
}
