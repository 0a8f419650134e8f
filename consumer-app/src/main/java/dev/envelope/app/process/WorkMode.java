package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.database.WithoutRows;
import dev.envelope.app.handlers.WorkSpec;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.wiring.ApplicationWiring;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.app.wiring.PinWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.Application;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.work.WorkApplication;
import dev.envelope.idempotency.work.WorkStore;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A call for each message; a database only for what the handler writes itself. */
final class WorkMode extends Mode {

    private final Settings settings;
    private final WorkSpec<?> handler;
    private final KafkaCheck kafka;
    private final @Nullable ApplicationDatabase database; // null without dedupe=store

    WorkMode(Settings settings, String instance) {
        this.settings = settings;
        database = settings.hasStore() ? ApplicationDatabase.of(settings, instance) : null;
        handler = HandlerWiring.work(settings);
        kafka = ApplicationWiring.kafka(settings);
    }

    @Override
    public String handler() {
        return handler.description();
    }

    @Override
    String database() {
        return database == null
                ? "none: a message is handled at least once (mode=work)"
                : "%s, schema %s, for what the handler writes and marks of what is done (dedupe=store)"
                        .formatted(settings.get(StoreKeys.URL), settings.get(StoreKeys.SCHEMA));
    }

    @Override
    List<List<ServerCheck>> servers() {
        return database == null
                ? List.of(List.of(kafka))
                : servers(database, database.beforeStart(Instance.startId()), PinStore::claim);
    }

    @Override
    public List<List<ServerCheck>> asking() {
        return database == null
                ? List.of(List.of(kafka))
                : servers(database, database.asking(), PinStore::compare);
    }

    private List<List<ServerCheck>> servers(
            ApplicationDatabase its,
            ServerCheck tables,
            BiFunction<PinStore, SortedMap<String, String>, List<PinMismatch>> asked) {
        return List.of(
                List.of(kafka, tables), List.of(PinWiring.check(settings, its, Map::of, asked)));
    }

    @Override
    String reading() {
        return ApplicationWiring.reading(settings, kafka.partitions());
    }

    @Override
    OperatorStore operators() {
        return database == null ? WithoutRows.andWithoutDatabase() : database.operators();
    }

    @Override
    Running open(ConsumerSettings engine, Operations operations) {
        @Nullable WorkStore store =
                database == null ? null : database.openForWork(engine.turns().handlerTimeout());
        try {
            WorkApplication application =
                    new WorkApplication(
                            ApplicationWiring.parts(
                                    settings, engine, handler, operations.telemetry()),
                            store);
            operations.attach(
                    application, handler.description(), store == null ? List::of : store::pools);
            return new Alone(application, store);
        } catch (RuntimeException e) {
            if (store != null) {
                store.close();
            }
            throw e;
        }
    }

    @Override
    public void close() {
        handler.close();
    }

    /** An application that nobody calls. */
    private record Alone(Application application, @Nullable WorkStore store) implements Running {

        @Override
        public void begin() {
            application.start();
        }

        @Override
        public void end() {}

        @Override
        public void close() {
            if (store != null) {
                store.close();
            }
        }
    }
}
