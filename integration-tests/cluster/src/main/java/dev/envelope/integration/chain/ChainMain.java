package dev.envelope.integration.chain;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.idempotency.Deliveries;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.EnvelopeApplication.Limits;
import dev.envelope.idempotency.EnvelopeApplication.Parts;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.StringValueFormat;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A process of one of the applications: the library as a user would put it together. It ends in
 * good order when it is asked to (TERM).
 *
 * <p>Threads: immutable; all that runs belongs to the application.
 */
final class ChainMain {

    private static final Duration DRAIN = Duration.ofSeconds(20);
    private static final int MAX_STATE_BYTES = 1 << 20;

    private ChainMain() {}

    /** The settings of the store, which the schema is made with as well. */
    static PostgresSettings storeSettings(ChainSpec spec) {
        String password = spec.database().password();
        return new PostgresSettings(
                spec.database().url(),
                new PostgresSettings.Login(spec.database().user(), password::toCharArray),
                spec.application(),
                spec.application(),
                spec.instance(),
                3,
                PostgresSettings.Timeouts.DEFAULT);
    }

    public static void main(String[] arguments) throws InterruptedException {
        ChainSpec spec = ChainSpec.parse(arguments);
        PostgresStore store = PostgresStore.open(storeSettings(spec));
        EnvelopeApplication application = new EnvelopeApplication(parts(spec, store));
        application.onStateChange(
                state -> {
                    if (state == EnvelopeConsumer.State.FAILED) {
                        Runtime.getRuntime().halt(1);
                    }
                });
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    boolean unused = application.close(DRAIN);
                                    store.close();
                                },
                                "shutdown"));
        application.start();
        Thread.currentThread().join();
    }

    private static Parts parts(ChainSpec spec, PostgresStore store) {
        ConsumerSettings engine =
                ConsumerSettings.of(
                                spec.application(), spec.bootstrapServers(), Set.of(spec.from()))
                        .withClientProperties(
                                Map.of(
                                        "consumer.group.protocol",
                                        "classic",
                                        "consumer.session.timeout.ms",
                                        1_500,
                                        "consumer.heartbeat.interval.ms",
                                        300));
        EnvelopeFold<ChainFold.Count, String> fold =
                new EnvelopeFold<>(
                        UserFold.emitting(new ChainFold(spec.to())),
                        JsonStateCodec.of(ChainFold.Count.class),
                        new StringValueFormat(),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        MAX_STATE_BYTES,
                        PuttingOut.NOTHING);
        Parts defaults = Parts.of(engine, fold, store);
        Deliveries usual = defaults.deliveries().get();
        Deliveries deliveries =
                new Deliveries(
                        usual.deadLetters(),
                        new StagedSender(
                                usual.outputs(), spec.stage(), spec.occasions(), spec.flaw()));
        return new Parts(
                engine,
                fold,
                defaults.store(),
                () -> deliveries,
                Limits.DEFAULT,
                defaults.telemetry(),
                UnaryOperator.identity());
    }
}
