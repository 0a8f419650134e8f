package dev.envelope.integration.oracle;

import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.json.JsonStateCodec;

/**
 * Ledgers as JSON.
 *
 * <p>Threads: thread-safe.
 */
public final class LedgerCodec implements StateCodec<Ledger> {

    private final JsonStateCodec<Ledger.Document> documents =
            JsonStateCodec.of(Ledger.Document.class);

    @Override
    public byte[] encode(Ledger ledger) {
        return documents.encode(ledger.toDocument());
    }

    @Override
    public Ledger decode(byte[] json) {
        return new Ledger(documents.decode(json));
    }
}
