package dev.envelope.integration.simulation;

import static dev.envelope.integration.simulation.ForwardingStates.saving;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.integration.simulation.EmittingFold.Emission;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Wirings that each break one promise about outputs. */
final class OutputMutants {

    private OutputMutants() {}

    /** A save loses what the handler has emitted. */
    static final Wiring EFFECTS_LOST = saving(it -> beside(it, HandlerEffects.NONE));

    /** A message that is parked emits, too. */
    static final Wiring PARKED_EMIT = saving(it -> beside(it, withThoseOfParked(it)));

    private static Change.Beside beside(Change of, HandlerEffects effects) {
        return new Change.Beside(of.parked(), of.deadLetters(), effects, of.beside().rowsDone());
    }

    private static HandlerEffects withThoseOfParked(Change change) {
        List<Output> all = new ArrayList<>(change.outputs());
        for (ParkedMessage parked : change.parked()) {
            String place = Trace.place(parked.message());
            for (Emission it : EmittingFold.emissions(place, parked.message().keyBytes())) {
                all.add(
                        new Output(
                                parked.message(),
                                Output.FIRST,
                                it.topic(),
                                it.key(),
                                it.value(),
                                EmittingFold.headers(it)));
            }
        }
        return new HandlerEffects(all, change.effects().timers(), change.effects().replies());
    }

    /** Records are committed without the number of their batch. */
    static final Wiring NUMBER_NOT_COMMITTED =
            sending(
                    it ->
                            new ChangedSender(it) {
                                @Override
                                Map<Integer, String> commit(Batch batch, long number) {
                                    return batch.commit(0);
                                }
                            });

    /** A commit whose reply is lost is taken for one that was refused. */
    static final Wiring UNKNOWN_TAKEN_FOR_ABORTED =
            sending(
                    it ->
                            new ChangedSender(it) {
                                @Override
                                Map<Integer, String> commit(Batch batch, long number) {
                                    try {
                                        return batch.commit(number);
                                    } catch (Unknown e) {
                                        throw new UnavailableException("not committed", e);
                                    }
                                }
                            });

    /** A relay is taken over by who only asks what it has committed. */
    static final Wiring FENCE_OFF =
            sending(
                    it ->
                            new ChangedSender(it) {
                                @Override
                                public OptionalLong committed(List<String> ids) {
                                    return ((SimOutputSender) sender).committedWithoutFence(ids);
                                }
                            });

    /** What is sent is not what was saved. */
    static final Wiring VALUES_CHANGED =
            sending(
                    it ->
                            new ChangedSender(it) {
                                @Override
                                ProducerRecord<byte @Nullable [], byte @Nullable []> changed(
                                        ProducerRecord<byte @Nullable [], byte @Nullable []> of) {
                                    return new ProducerRecord<>(
                                            of.topic(), null, of.key(), null, of.headers());
                                }
                            });

    private static Wiring sending(UnaryOperator<OutputSender> change) {
        return new Wiring() {
            @Override
            public OutputSender sender(OutputSender sender) {
                return change.apply(sender);
            }
        };
    }

    /** Sends as it is told to: a mutant changes what it breaks. */
    static class ChangedSender implements OutputSender {

        final OutputSender sender;

        ChangedSender(OutputSender sender) {
            this.sender = sender;
        }

        Map<Integer, String> commit(Batch batch, long number) {
            return batch.commit(number);
        }

        ProducerRecord<byte @Nullable [], byte @Nullable []> changed(
                ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
            return record;
        }

        @Override
        public List<String> ids() {
            return sender.ids();
        }

        @Override
        public void open(long number) {
            sender.open(number);
        }

        @Override
        public OptionalLong committed(List<String> ids) {
            return sender.committed(ids);
        }

        @Override
        public void close() {
            sender.close();
        }

        @Override
        public Batch begin() {
            Batch batch = sender.begin();
            return new Batch() {
                @Override
                public void send(
                        List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
                    batch.send(records.stream().map(ChangedSender.this::changed).toList());
                }

                @Override
                public Map<Integer, String> commit(long number) {
                    return ChangedSender.this.commit(batch, number);
                }

                @Override
                public void abort() {
                    batch.abort();
                }
            };
        }
    }

    /** A relay does not ask what others have still to send. */
    static final Wiring ORDER_BETWEEN_RELAYS_OFF =
            storing(
                    (store, method, arguments) ->
                            method.getName().equals("before")
                                    ? new OutputStore.Before(Map.of(), Set.of(), Long.MAX_VALUE)
                                    : call(store, method, arguments));

    /** A relay leaves out the first output of each save. */
    static final Wiring FIRST_DROPPED =
            storing(
                    (store, method, arguments) -> {
                        Object answer = call(store, method, arguments);
                        return answer instanceof List<?> rows && method.getName().equals("next")
                                ? withoutFirst(rows)
                                : answer;
                    });

    private static List<OutputStore.Row> withoutFirst(List<?> rows) {
        List<OutputStore.Row> left = new ArrayList<>();
        for (Object each : rows) {
            OutputStore.Row row = (OutputStore.Row) each;
            List<OutputStore.Item> items = row.items().subList(1, row.items().size());
            left.add(new OutputStore.Row(row.place(), items, row.bytes(), row.createdAt()));
        }
        return left;
    }

    /** What was sent is not deleted. */
    static final Wiring NEVER_DELETED =
            storing(
                    (store, method, arguments) -> {
                        boolean moves = Set.of("open", "close").contains(method.getName());
                        if (moves) {
                            arguments[1] = List.of();
                        }
                        return call(store, method, arguments);
                    });

    private interface Answer {
        @Nullable Object to(OutputStore store, Method method, Object[] arguments) throws Throwable;
    }

    private static @Nullable Object call(OutputStore store, Method method, Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static Wiring storing(Answer answer) {
        return new Wiring() {
            @Override
            public OutputStore outputs(OutputStore outputs) {
                return (OutputStore)
                        Proxy.newProxyInstance(
                                OutputStore.class.getClassLoader(),
                                new Class<?>[] {OutputStore.class},
                                (proxy, method, arguments) ->
                                        answer.to(outputs, method, arguments));
            }
        };
    }

    /** Nobody looks how many wait. */
    static final Wiring ROOM_WITHOUT_END =
            new Wiring() {
                @Override
                public OutputRoom outputRoom(OutputRoom room) {
                    return OutputRoom.endless();
                }
            };
}
