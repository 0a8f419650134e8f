package dev.envelope.app.gateway;

import dev.envelope.idempotency.command.Commands;
import dev.envelope.idempotency.command.EntityReads;
import dev.envelope.idempotency.command.Outcome.Reason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * Counts and times what the gateway does. No label ever holds a key.
 *
 * <p>Threads: thread-safe (the registry is; what it asks is volatile).
 */
public final class GatewayMeters {

    private static final Duration[] EXPECTED =
            LongStream.of(5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 30_000)
                    .mapToObj(Duration::ofMillis)
                    .toArray(Duration[]::new);

    private static final Commands.Status NOTHING = new Commands.Status(0, 0, 0, 0, 0, 0, 0);

    private final MeterRegistry registry;
    private final Timer settled;
    private volatile Supplier<Commands.Status> commands = () -> NOTHING;
    private volatile IntSupplier reads = () -> 0;

    /** Registers all meters, at zero. */
    public GatewayMeters(MeterRegistry registry) {
        this.registry = registry;
        gauge(
                "envelope.gateway.waiting",
                "Commands without an answer",
                () -> commands.get().waiting());
        gauge(
                "envelope.gateway.unacknowledged.bytes",
                "Commands that the brokers have not acknowledged",
                () -> commands.get().bytes());
        gauge("envelope.gateway.reads.waiting", "Reads without an answer", () -> reads.getAsInt());
        CommandsApi.RESULTS.forEach(this::commands);
        ReadsApi.RESULTS.forEach(this::reads);
        for (Reason reason : Reason.values()) {
            turnedAwayFor(reason);
        }
        for (int status : GatewayHandler.REFUSALS) {
            refusals(status);
        }
        this.settled =
                Timer.builder("envelope.gateway.settled")
                        .description("From the arrival of a command to the answer that it settled")
                        .serviceLevelObjectives(EXPECTED)
                        .register(registry);
    }

    /** Tells what is under way from now on. */
    void of(Commands itsCommands, EntityReads itsReads) {
        commands = itsCommands::status;
        reads = itsReads::waiting;
    }

    private void gauge(String meter, String description, Supplier<Number> value) {
        Gauge.builder(meter, value).description(description).register(registry);
    }

    /** A command was answered with this. */
    void command(String result) {
        commands(result).increment();
    }

    /** A command was answered with what became of it, so long after it came. */
    void settled(Duration time) {
        settled.record(time);
    }

    /** A command was turned away, or nobody knows of it, for this reason. */
    void turnedAway(Reason reason) {
        turnedAwayFor(reason).increment();
    }

    /** A read was answered with this. */
    void read(String result) {
        reads(result).increment();
    }

    /** A request was refused before it became a command or a read. */
    void refused(int status) {
        refusals(status).increment();
    }

    private Counter commands(String result) {
        return counter("envelope.gateway.commands", "Commands, by their answer", "result", result);
    }

    private Counter turnedAwayFor(Reason reason) {
        return counter(
                "envelope.gateway.turned.away",
                "Commands that were answered with 503, by the reason",
                "reason",
                reason.name().toLowerCase(Locale.ROOT));
    }

    private Counter reads(String result) {
        return counter("envelope.gateway.reads", "Reads, by their answer", "result", result);
    }

    private Counter refusals(int status) {
        return counter(
                "envelope.gateway.refused",
                "Requests that were refused before they became commands or reads",
                "status",
                Integer.toString(status));
    }

    private Counter counter(String meter, String description, String label, String value) {
        return Counter.builder(meter).description(description).tag(label, value).register(registry);
    }
}
