package dev.envelope.idempotency.store.operator;

/** A view of the database that its caller closes after use. Threads: one thread. */
public interface Catalog extends AutoCloseable {

    @Override
    void close();
}
