package dev.envelope.integration.bench.client;

import dev.envelope.app.handlers.HandlerRequest;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.WorkerThreads;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * Ours, as a library with every default of the application.
 *
 * <p>Threads: thread-safe (the consumer is).
 */
final class EngineClient implements Client {

    // The application's defaults of cache.max.bytes and state.max.bytes.
    private static final long CACHE_BYTES = 64L << 20;
    private static final int STATE_BYTES = 1 << 20;

    /** The application's setting workers, for a handler that blocks. */
    private static final int BLOCKING_WORKERS = 64;

    private static final int VIRTUAL_WORKERS = 256;

    private static final Duration DRAIN = Duration.ofSeconds(60);

    private final EnvelopeConsumer consumer;
    private final PostgresStore store;

    private EngineClient(EnvelopeConsumer consumer, PostgresStore store) {
        this.consumer = consumer;
        this.store = store;
    }

    /** A handler in Java, its state and the values bound by Jackson. */
    static Client withHandlerClass(ClientSpec spec, Observer observer) {
        return start(spec, handlerClass(spec), observer, settings(spec), CACHE_BYTES);
    }

    /** The same, with each row read before it is written. */
    static Client withoutCache(ClientSpec spec, Observer observer) {
        return start(spec, handlerClass(spec), observer, settings(spec), 0);
    }

    /** The same, with a row written for each message. */
    static Client withoutEnvelopes(ClientSpec spec, Observer observer) {
        return start(spec, handlerClass(spec), observer, ofOne(settings(spec)), CACHE_BYTES);
    }

    private static ConsumerSettings ofOne(ConsumerSettings all) {
        TurnLimits turns = all.turns();
        return new ConsumerSettings(
                all.applicationId(),
                all.topics(),
                all.clientProperties(),
                all.keyFormat(),
                all.keyScope(),
                all.nullKeys(),
                all.positions(),
                all.failures(),
                new TurnLimits(
                        1,
                        turns.envelopeBytes(),
                        turns.turnMessages(),
                        turns.turnBytes(),
                        turns.turnTime(),
                        turns.handlerTimeout()),
                all.loop(),
                all.workers(),
                all.mostWorkers(),
                all.sizing(),
                all.threads(),
                all.shards(),
                Ordering.KEY,
                null,
                Division.NONE);
    }

    private static HandlerSpec<Balance, Booking> handlerClass(ClientSpec spec) {
        return new HandlerSpec<>(
                UserFold.of(new BalanceFold(spec.blockMillis())),
                JsonStateCodec.of(Balance.class),
                JsonValueFormat.of(Booking.class),
                "ledger");
    }

    /** The same, on virtual threads where the handler blocks. */
    static Client withVirtualThreads(ClientSpec spec, Observer observer) {
        return start(
                spec,
                handlerClass(spec),
                observer,
                settings(spec).withWorkers(VIRTUAL_WORKERS).withThreads(WorkerThreads.VIRTUAL),
                CACHE_BYTES);
    }

    /** No code: {@code handler=fold}. */
    static Client withBuiltInFold(ClientSpec spec, Observer observer) {
        Map<String, String> expressions = new LinkedHashMap<>();
        expressions.put("balance", "sum(/amount)");
        expressions.put("count", "count()");
        HandlerSpec<?, ?> handler =
                Handlers.resolve(
                        new HandlerRequest(
                                "fold",
                                expressions,
                                Map.of(),
                                List.of(),
                                "json",
                                Map.of(),
                                new GivenUpFields()));
        return start(spec, handler, observer, settings(spec), CACHE_BYTES);
    }

    private static <S, M> Client start(
            ClientSpec spec,
            HandlerSpec<S, M> handler,
            Observer observer,
            ConsumerSettings settings,
            long cacheBytes) {
        Telemetry telemetry = new DurableRecords(observer);
        PostgresStore store = PostgresStore.open(ClientStore.settings(spec));
        EnvelopeFold<S, M> fold =
                new EnvelopeFold<>(
                        handler.fold(),
                        handler.stateCodec(),
                        handler.valueFormat(),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        STATE_BYTES,
                        PuttingOut.NOTHING);
        EnvelopeHandler engine =
                new IdempotentHandler<>(fold, store.states(), cacheBytes, telemetry);
        EnvelopeConsumer consumer =
                new EnvelopeConsumer(
                        settings,
                        observer.wantsEach() ? new WatchedHandler(engine, observer) : engine,
                        store.checkpoints(),
                        telemetry);
        consumer.onStateChange(
                state -> {
                    if (state == EnvelopeConsumer.State.FAILED) {
                        Runtime.getRuntime().halt(1);
                    }
                });
        consumer.start();
        return new EngineClient(consumer, store);
    }

    static ConsumerSettings settings(ClientSpec spec) {
        ConsumerSettings defaults =
                ConsumerSettings.of(spec.group(), spec.bootstrapServers(), Set.of(spec.topic()));
        Map<String, Object> client = new HashMap<>();
        if (spec.source().sessionMillis() > 0) {
            client.put(
                    "consumer." + ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                    spec.source().sessionMillis());
        }
        client.put(
                "consumer." + ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, FirstPoll.class.getName());
        return defaults.withClientProperties(client)
                .withWorkers(spec.blockMillis() > 0 ? BLOCKING_WORKERS : defaults.workers());
    }

    @Override
    public void close() {
        boolean complete = consumer.close(DRAIN);
        store.close();
        if (!complete) {
            throw new IllegalStateException("the consumer did not close in good order");
        }
    }

    /** Counts the messages that went into rows, after their transaction has committed. */
    private record DurableRecords(Observer observer) implements Telemetry {

        @Override
        public void saved(int rows, int messages) {
            observer.durable(messages);
        }

        @Override
        public void duplicates(int messages) {
            observer.duplicates(messages);
        }
    }
}
