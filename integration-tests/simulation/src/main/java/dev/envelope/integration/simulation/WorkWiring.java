package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryWorkStore;
import dev.envelope.idempotency.store.InMemoryWorkStore.Way;
import dev.envelope.idempotency.work.WorkHandler.SettingAside;
import dev.envelope.idempotency.work.WorkStore;

/** Where a mutant gets between the parts of a process without rows, as in {@link Wiring}. */
interface WorkWiring {

    /** The engine as it is. */
    WorkWiring STRAIGHT = new WorkWiring() {};

    default EnvelopeHandler handler(EnvelopeHandler handler) {
        return handler;
    }

    default TopicAdmin admin(TopicAdmin admin) {
        return admin;
    }

    default SettingAside deadLetters(SettingAside deadLetters) {
        return deadLetters;
    }

    /** The way to the database of a handler that gets a connection. */
    default Way way(Way way) {
        return way;
    }

    /** That database. */
    default WorkStore store(InMemoryWorkStore store, InMemoryDatabase database) {
        return store;
    }

    default ConsumerSettings settings(ConsumerSettings settings) {
        return settings;
    }
}
