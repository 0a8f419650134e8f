package dev.envelope.idempotency.store.operator;

/** What its taker asks until it is closed. Threads: one thread. */
public interface Catalog extends AutoCloseable {

    @Override
    void close();
}
