package dev.envelope.idempotency.store;

import dev.envelope.idempotency.store.timer.Timer;

/** A timer as it stands in the database. */
public record StandingTimer(Timer.Setting to, boolean hasFired) {

    /** The same once it has fired. */
    public StandingTimer asFired() {
        return new StandingTimer(to, true);
    }
}
