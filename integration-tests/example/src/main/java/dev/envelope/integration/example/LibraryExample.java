package dev.envelope.integration.example;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.pin.RowKeyPins;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Pins;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.integration.example.Balances.Balance;
import dev.envelope.integration.example.Balances.Payment;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** The library inside a service of one's own. Threads: stateless. */
public final class LibraryExample {

    private LibraryExample() {}

    // region library
    /** Keeps the row of each account up to date until somebody counts the latch down. */
    public static void run(
            String brokers, String databaseUrl, PostgresSettings.Login login, CountDownLatch stop)
            throws InterruptedException {
        PostgresSettings database =
                new PostgresSettings(
                        databaseUrl, // jdbc:postgresql://host:5432/database
                        login, // a role, and who tells its password
                        "balances", // the schema
                        "balances", // the application that it belongs to
                        "balances-1", // this process
                        4, // connections for loads and saves
                        PostgresSettings.Timeouts.DEFAULT);
        ConsumerSettings engine = ConsumerSettings.of("balances", brokers, Set.of("payments"));
        new Migrator(database, null).migrate();
        // Other settings would make other rows of the same records: they are refused.
        new Pins(database).require(RowKeyPins.of(engine, "string"), RowKeyPins::remedy);

        EnvelopeFold<Balance, Payment> fold =
                new EnvelopeFold<>(
                        new Balances(),
                        JsonStateCodec.of(Balance.class),
                        JsonValueFormat.of(Payment.class),
                        MessageIds.NONE, // or new HeaderIds("event-id"), new CloudEventIds(), …
                        IdLimits.ofCount(128),
                        1 << 20); // the largest state, in bytes

        try (PostgresStore store = PostgresStore.open(database);
                EnvelopeApplication application =
                        new EnvelopeApplication(
                                EnvelopeApplication.Parts.of(engine, fold, store))) {
            application.onStateChange(
                    state -> {
                        if (state == EnvelopeConsumer.State.FAILED) {
                            stop.countDown(); // application.consumer().fault() says why
                        }
                    });
            application.start();
            stop.await();
        } // saves what was fetched, commits, leaves the group
    }
    // end region
}
