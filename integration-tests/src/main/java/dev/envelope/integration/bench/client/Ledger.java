package dev.envelope.integration.bench.client;

/**
 * An account: the state that a handler of ours keeps.
 *
 * <p>Threads: immutable.
 *
 * @param last the sequence of the last booking
 */
public record Ledger(long balance, long count, long last) {

    static final Ledger EMPTY = new Ledger(0, 0, 0);

    Ledger plus(Event event) {
        return new Ledger(balance + event.amount(), count + 1, event.sequence());
    }
}
