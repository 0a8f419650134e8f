package dev.envelope.integration.bench.client;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Message;
import dev.envelope.idempotency.Deliveries;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.EnvelopeApplication.Parts;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Ours, with a handler that emits the new balance for each message. A message is durable once its
 * output is committed.
 *
 * <p>Threads: thread-safe (the application is).
 */
final class EmittingClient implements Client {

    private static final int STATE_BYTES = 1 << 20; // the application's default
    private static final int PARTITIONS = 8;
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final EnvelopeApplication application;
    private final PostgresStore store;

    private EmittingClient(EnvelopeApplication application, PostgresStore store) {
        this.application = application;
        this.store = store;
    }

    /** Of the messages that count for latencies, the output bears where its message was. */
    private record Emitting(String topic, BalanceFold fold)
            implements EffectFold<Balance, Booking> {

        @Override
        public @Nullable Balance apply(
                @Nullable Balance state, @Nullable Booking booking, Effects effects) {
            Message message = effects.message();
            Balance balance = fold.apply(state, booking, message);
            Headers headers = new RecordHeaders();
            if (message.headers().lastHeader(Latencies.SENT) != null) {
                headers.add(SavedMoments.PLACE, SavedMoments.place(message));
            }
            effects.emit(
                    topic,
                    bytes(message.key()),
                    balance == null ? null : bytes("{\"balance\":" + balance.balance() + "}"),
                    headers);
            return balance;
        }

        private static byte @Nullable [] bytes(@Nullable String text) {
            return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }
    }

    static Client started(ClientSpec spec, Observer observer) {
        String topic = spec.target().schema() + "-out";
        makeTopic(spec, topic);
        ConsumerSettings engine = EngineClient.settings(spec);
        EnvelopeFold<Balance, Booking> fold =
                new EnvelopeFold<>(
                        UserFold.emitting(new Emitting(topic, new BalanceFold(0))),
                        JsonStateCodec.of(Balance.class),
                        JsonValueFormat.of(Booking.class),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        STATE_BYTES,
                        PuttingOut.NOTHING);
        PostgresStore store = PostgresStore.open(ClientStore.settings(spec));
        Parts usual = Parts.of(engine, fold, store);
        SavedMoments saved = new SavedMoments(observer);
        EnvelopeApplication application =
                new EnvelopeApplication(
                        new Parts(
                                engine,
                                fold,
                                usual.store(),
                                () -> around(usual.deliveries().get(), saved),
                                usual.limits(),
                                usual.telemetry(),
                                saved::around));
        application.onStateChange(
                state -> {
                    if (state == EnvelopeConsumer.State.FAILED) {
                        Runtime.getRuntime().halt(1);
                    }
                });
        application.start();
        return new EmittingClient(application, store);
    }

    private static Deliveries around(Deliveries usual, SavedMoments saved) {
        return new Deliveries(usual.deadLetters(), saved.around(usual.outputs()));
    }

    private static void makeTopic(ClientSpec spec, String topic) {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", spec.source().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        boolean complete = application.close(DRAIN);
        store.close();
        if (!complete) {
            throw new IllegalStateException("the consumer did not close in good order");
        }
    }
}
