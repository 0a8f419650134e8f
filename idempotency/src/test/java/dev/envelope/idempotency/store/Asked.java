package dev.envelope.idempotency.store;

import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request and what became of it.
 *
 * <p>Threads: guarded by the database.
 */
final class Asked {

    Request request;
    @Nullable String takenBy;
    long takenUntil;
    @Nullable Long notBefore; // if it rests
    @Nullable String answer;

    private final long askedAt;
    private int brokenOff;

    Asked(Request request, long askedAt) {
        this.request = request;
        this.askedAt = askedAt;
    }

    Asked(Asked other) {
        request = other.request;
        askedAt = other.askedAt;
        takenBy = other.takenBy;
        brokenOff = other.brokenOff;
        takenUntil = other.takenUntil;
        notBefore = other.notBefore;
        answer = other.answer;
    }

    boolean isOf(String process) {
        return answer == null && process.equals(takenBy);
    }

    boolean isFor(String process, long now) {
        boolean isOurs = process.equals(takenBy) && (notBefore == null || notBefore <= now);
        boolean isNobodys = takenBy == null && (notBefore == null || notBefore <= now);
        return answer == null && (isNobodys || (takenBy != null && takenUntil < now) || isOurs);
    }

    /** Whether it is a deletion that has deleted the row, and so goes before the key's others. */
    boolean holds(Asked other) {
        return answer == null
                && request.action() == Action.DELETE
                && request.version() == null
                && request.key().equals(other.request.key())
                && other.request.action() != Action.DELETE;
    }

    long waitsSince() {
        return notBefore == null ? askedAt : notBefore;
    }

    Request taken(String process, long until) {
        boolean hasRested = notBefore != null;
        brokenOff += takenBy != null && !takenBy.equals(process) && !hasRested ? 1 : 0;
        takenBy = process;
        takenUntil = until;
        notBefore = null;
        return request(request.version(), brokenOff);
    }

    void repaired() {
        request = request(null, request.brokenOff());
    }

    private Request request(@Nullable Long version, int times) {
        return new Request(
                request.number(),
                request.key(),
                request.action(),
                request.position(),
                version,
                request.state(),
                times);
    }
}
