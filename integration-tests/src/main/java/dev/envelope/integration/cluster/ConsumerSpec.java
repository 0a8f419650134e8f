package dev.envelope.integration.cluster;

import dev.envelope.integration.stack.Database;
import java.nio.file.Path;
import java.util.List;

/**
 * What a consumer process is started with.
 *
 * <p>Threads: immutable.
 *
 * @param instance its name
 * @param application the group's id
 * @param protocol {@code classic} or {@code consumer}
 * @param occasions how often the aim has to come up
 * @param beat the file of its {@link Beat}
 */
record ConsumerSpec(
        String instance,
        String bootstrapServers,
        String topic,
        String application,
        String protocol,
        Database database,
        String schema,
        Aim aim,
        int occasions,
        Mutant mutant,
        Path beat) {

    String[] toArguments() {
        return List.of(
                        instance,
                        bootstrapServers,
                        topic,
                        application,
                        protocol,
                        database.url(),
                        database.user(),
                        database.password(),
                        schema,
                        aim.name(),
                        Integer.toString(occasions),
                        mutant.name(),
                        beat.toString())
                .toArray(String[]::new);
    }

    static ConsumerSpec parse(String[] words) {
        return new ConsumerSpec(
                words[0],
                words[1],
                words[2],
                words[3],
                words[4],
                new Database(words[5], words[6], words[7]),
                words[8],
                Aim.valueOf(words[9]),
                Integer.parseInt(words[10]),
                Mutant.valueOf(words[11]),
                Path.of(words[12]));
    }
}
