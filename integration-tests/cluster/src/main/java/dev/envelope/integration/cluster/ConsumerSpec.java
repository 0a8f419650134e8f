package dev.envelope.integration.cluster;

import dev.envelope.integration.stack.Database;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a consumer process is started with.
 *
 * <p>Threads: immutable.
 *
 * @param instance its name
 * @param application the group's id
 * @param protocol {@code classic} or {@code consumer}
 * @param slots how many divide the partitions; 0 where the group does
 * @param client further properties of its Kafka clients
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
        Mutant mutant,
        int slots,
        Map<String, String> client,
        Path beat) {

    ConsumerSpec {
        client = Map.copyOf(client);
    }

    private static final int PROPERTIES_FROM = 12;

    String[] toArguments() {
        Stream<String> properties =
                client.entrySet().stream().flatMap(it -> Stream.of(it.getKey(), it.getValue()));
        Stream<String> words =
                Stream.of(
                        instance,
                        bootstrapServers,
                        topic,
                        application,
                        protocol,
                        database.url(),
                        database.user(),
                        database.password(),
                        schema,
                        mutant.name(),
                        Integer.toString(slots),
                        beat.toString());
        return Stream.concat(words, properties).toArray(String[]::new);
    }

    static ConsumerSpec parse(String[] words) {
        Map<String, String> client = new HashMap<>();
        for (int i = PROPERTIES_FROM; i < words.length; i += 2) {
            client.put(words[i], words[i + 1]);
        }
        return new ConsumerSpec(
                words[0],
                words[1],
                words[2],
                words[3],
                words[4],
                new Database(words[5], words[6], words[7]),
                words[8],
                Mutant.valueOf(words[9]),
                Integer.parseInt(words[10]),
                client,
                Path.of(words[11]));
    }
}
