package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.work.WorkHandler.SettingAside;

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

    default ConsumerSettings settings(ConsumerSettings settings) {
        return settings;
    }
}
