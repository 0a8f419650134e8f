package dev.envelope.app.wiring;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.start.KafkaCheck;

/** Checks of servers, from the settings. Threads: stateless. */
public final class CheckWiring {

    private CheckWiring() {}

    /** The look at the broker that a process needs before it can read. */
    public static KafkaCheck kafka(Settings settings) {
        return new KafkaCheck(
                EngineWiring.admin(settings),
                EngineWiring.servers(settings),
                settings.get(ReadKeys.TOPICS),
                settings.get(ReadKeys.APPLICATION_ID),
                OutboxWiring.deadLetterTopic(settings));
    }
}
