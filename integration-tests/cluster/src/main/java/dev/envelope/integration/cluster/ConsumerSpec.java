package dev.envelope.integration.cluster;

import dev.envelope.core.key.Division;
import dev.envelope.integration.oracle.Schema;
import dev.envelope.integration.stack.Database;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a consumer process is started with.
 *
 * <p>Threads: immutable.
 *
 * @param instance its name
 * @param application the group's id
 * @param protocol {@code classic} or {@code consumer}
 * @param places the databases of its rows, for one role: with several, each has slots of them
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
        List<Database> places,
        String schema,
        Mutant mutant,
        int slots,
        Map<String, String> client,
        Path beat) {

    ConsumerSpec {
        client = Map.copyOf(client);
        places = List.copyOf(places);
    }

    private static final int PROPERTIES_FROM = 12;
    private static final String BETWEEN = " ";
    private static final int SLOTS_AT_A_PLACE = 2;

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
                        places.stream().map(Database::url).collect(Collectors.joining(BETWEEN)),
                        places.get(0).user(),
                        places.get(0).password(),
                        schema,
                        mutant.name(),
                        Integer.toString(slots),
                        beat.toString());
        return Stream.concat(words, properties).toArray(String[]::new);
    }

    /** Where the rows are: all of them in one schema, or some in each of several. */
    List<Schema> schemas() {
        if (places.size() == 1) {
            return List.of(new Schema(places.get(0), schema));
        }
        return IntStream.range(0, places.size() * SLOTS_AT_A_PLACE)
                .mapToObj(
                        slot ->
                                new Schema(
                                        places.get(slot / SLOTS_AT_A_PLACE),
                                        schema + "_%02d".formatted(slot)))
                .toList();
    }

    /** The number of the place of each slot. */
    Division division() {
        return places.size() == 1
                ? Division.NONE
                : new Division(
                        IntStream.range(0, places.size() * SLOTS_AT_A_PLACE)
                                .mapToObj(slot -> slot / SLOTS_AT_A_PLACE)
                                .toList());
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
                Stream.of(words[5].split(BETWEEN, -1))
                        .map(url -> new Database(url, words[6], words[7]))
                        .toList(),
                words[8],
                Mutant.valueOf(words[9]),
                Integer.parseInt(words[10]),
                client,
                Path.of(words[11]));
    }
}
