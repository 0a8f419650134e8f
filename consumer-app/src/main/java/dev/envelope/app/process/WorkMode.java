package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.handlers.WorkSpec;
import dev.envelope.app.ops.api.NoDatabase;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.wiring.ApplicationWiring;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.Application;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.work.WorkApplication;
import java.util.List;

/** A call for each message, and no database. */
final class WorkMode extends Mode {

    private final Settings settings;
    private final WorkSpec<?> handler;
    private final KafkaCheck kafka;

    WorkMode(Settings settings) {
        this.settings = settings;
        handler = HandlerWiring.work(settings);
        kafka = ApplicationWiring.kafka(settings);
    }

    @Override
    public String handler() {
        return handler.description();
    }

    @Override
    String database() {
        return "none: a message is handled at least once (mode=work)";
    }

    @Override
    List<List<ServerCheck>> servers() {
        return List.of(List.of(kafka));
    }

    @Override
    public List<List<ServerCheck>> asking() {
        return servers();
    }

    @Override
    String reading() {
        return ApplicationWiring.reading(settings, kafka.partitions());
    }

    @Override
    OperatorStore operators() {
        return new NoDatabase();
    }

    @Override
    Running open(ConsumerSettings engine, Operations operations) {
        WorkApplication application =
                new WorkApplication(
                        ApplicationWiring.parts(settings, engine, handler, operations.telemetry()));
        operations.attach(application, handler.description());
        return new Alone(application);
    }

    @Override
    public void close() {
        handler.close();
    }

    /** An application that nobody calls. */
    private record Alone(Application application) implements Running {

        @Override
        public void begin() {
            application.start();
        }

        @Override
        public void end() {}

        @Override
        public void close() {}
    }
}
