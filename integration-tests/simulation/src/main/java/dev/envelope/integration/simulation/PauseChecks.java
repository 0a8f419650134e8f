package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Pauses.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What must hold of keys and partitions that operators hold back in the database: a process that
 * was given a partition later than that lets nothing of it go on.
 *
 * <p>Threads: one thread.
 */
final class PauseChecks {

    private record Taken(String process, TopicPartition partition) {}

    private final World world;
    private final Map<Taken, Instant> taken = new HashMap<>();

    PauseChecks(World world) {
        this.world = world;
    }

    void took(SimInstance process, Collection<TopicPartition> partitions) {
        Instant now = Instant.EPOCH.plus(Duration.ofNanos(world.scheduler().now()));
        partitions.forEach(it -> taken.put(new Taken(process.name(), it), now));
    }

    /** The database has gone back, and holds back what had been let go since. */
    void lookAgain() {
        taken.clear();
    }

    void entersTurn(SimInstance process, Envelope envelope) {
        for (Message message : envelope.messages()) {
            check(Kind.KEY, envelope.key(), process, message.epoch().partition());
        }
    }

    void fetched(SimInstance process, TopicPartition partition) {
        check(Kind.PARTITION, partition.toString(), process, partition);
    }

    private void check(Kind kind, String name, SimInstance process, TopicPartition partition) {
        Instant since = taken.getOrDefault(new Taken(process.name(), partition), Instant.EPOCH);
        for (Pause pause : world.database().pauses().all()) {
            boolean isHeldBack = pause.kind() == kind && pause.name().equals(name);
            if (isHeldBack && since.isAfter(pause.since())) {
                world.checks().fail("held-back", process.name() + " goes on in spite of " + pause);
            }
        }
    }
}
