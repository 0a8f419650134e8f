package dev.envelope.integration.places;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.proxy.DistantPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The same records into one slot and into many, and into slots at one, two and four places, one
 * process after the other. It measures, so it runs when it is told how many, of how many keys:
 * {@code -Dplaces.records=3000000 -Dplaces.keys=100000 -Dplaces.slots=64 -Dplaces.distant=300000}.
 */
@Tag("cluster")
@EnabledIfSystemProperty(named = "places.records", matches = ".+")
@ExtendWith(OneStack.class)
class PlacesSpeedTest {

    private static final int RECORDS = Integer.getInteger("places.records", 20_000);
    private static final int DISTANT = Integer.getInteger("places.distant", 5_000);
    private static final int SLOTS = Integer.getInteger("places.slots", 8);
    private static final int KEYS = Integer.getInteger("places.keys", 1_000);
    private static final int AT_ONCE = 500_000;
    private static final Duration ROUND_TRIP = Duration.ofMillis(5);

    private final LocalStack stack;

    PlacesSpeedTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void manySlotsAtOnePlaceCostLittle() {
        produce("speed", RECORDS);
        double one = perSecond("speed_1", "speed", RECORDS, 1, databases("speed_1", 1));
        double many = perSecond("speed_n", "speed", RECORDS, SLOTS, databases("speed_n", 1));
        double again = perSecond("speed_2", "speed", RECORDS, 1, databases("speed_2", 1));

        System.out.printf(
                Locale.ROOT,
                "%,d records of %,d keys: 1 slot %,.0f/s and %,.0f/s, %d slots %.2f of their mean%n",
                RECORDS,
                KEYS,
                one,
                again,
                SLOTS,
                2 * many / (one + again));
    }

    /** One connection for rows, and some milliseconds to the server: that is what limits. */
    @Test
    void eachPlaceAddsItsShareWhereTheDatabaseIsTheLimit() {
        produce("distant", DISTANT);
        List<Double> speeds = new ArrayList<>();
        for (int places : List.of(1, 2, 4)) {
            String name = "distant_" + places;
            List<DistantPort> ports = new ArrayList<>();
            List<Database> databases = new ArrayList<>();
            for (Database each : databases(name, places)) {
                DistantPort port = DistantPort.start(each.port(), ROUND_TRIP);
                ports.add(port);
                databases.add(each.at(port.port()));
            }
            try {
                speeds.add(
                        perSecond(
                                name,
                                "distant",
                                DISTANT,
                                4,
                                databases,
                                "store.connections=1",
                                "turn.max.messages=30",
                                "envelope.max.messages=30"));
            } finally {
                ports.forEach(DistantPort::close);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%,d records of %,d keys, a round trip of 5 ms, a connection for each place:"
                        + " 1 place %,.0f/s, 2 places %.2f times, 4 places %.2f times%n",
                DISTANT,
                KEYS,
                speeds.get(0),
                speeds.get(1) / speeds.get(0),
                speeds.get(2) / speeds.get(0));
    }

    private void produce(String topic, int records) {
        stack.topics().create(topic, 8);
        for (int from = 0; from < records; from += AT_ONCE) {
            int count = Math.min(AT_ONCE, records - from);
            Applications.produce(stack, topic, count, KEYS, "{\"amount\":1,\"id\":1234567}");
        }
    }

    /** All for one role. */
    private List<Database> databases(String name, int places) {
        Database all = stack.postgres().superuser();
        return IntStream.range(0, places)
                .mapToObj(place -> stack.postgres().createDatabase(name + "_at_" + place))
                .map(its -> new Database(its.url(), all.user(), all.password()))
                .toList();
    }

    private double perSecond(
            String name,
            String topic,
            int records,
            int slots,
            List<Database> databases,
            String... more) {
        List<String> settings =
                Applications.settings(stack.bootstrapServers(), name, databases.get(0));
        settings.remove("topics=" + name);
        settings.addAll(
                List.of(
                        "topics=" + topic,
                        "store.slots=" + slots,
                        "start.from=earliest",
                        "pool.size=8"));
        settings.addAll(List.of(more));
        int each = slots / databases.size();
        for (int place = 1; place < databases.size(); place++) {
            settings.add("store.place.p" + place + "=" + databases.get(place).url());
            settings.add(
                    "store.slots.p%d=%d-%d".formatted(place, place * each, (place + 1) * each - 1));
        }
        RunningApp app = RunningApp.start(stack.workspace(), name, settings);
        try {
            app.awaitReady();
            long begun = System.nanoTime();
            long counted = 0;
            while (counted < records / 3) { // what a start costs is left out
                counted = awaitMoreThan(counted, name, slots, databases);
                begun = System.nanoTime();
            }
            long before = counted;
            while (counted < records) {
                counted = awaitMoreThan(counted, name, slots, databases);
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
            assertThat(counted(name, slots, databases)).isEqualTo(records);
            return (records - before) / seconds;
        } finally {
            app.process().kill();
        }
    }

    private static long awaitMoreThan(
            long known, String name, int slots, List<Database> databases) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> counted(name, slots, databases), it -> it > known);
    }

    /** One statement for each place. */
    private static long counted(String name, int slots, List<Database> databases) {
        int each = slots / databases.size();
        return IntStream.range(0, databases.size())
                .mapToLong(
                        place ->
                                Applications.number(
                                        databases.get(place),
                                        IntStream.range(place * each, (place + 1) * each)
                                                .mapToObj(
                                                        slot ->
                                                                "SELECT (state->>'n')::bigint AS n FROM %s.state"
                                                                        .formatted(
                                                                                slots == 1
                                                                                        ? name
                                                                                        : name
                                                                                                + "_%02d"
                                                                                                        .formatted(
                                                                                                                slot)))
                                                .collect(
                                                        Collectors.joining(
                                                                " UNION ALL ",
                                                                "SELECT coalesce(sum(n), 0) FROM (",
                                                                ") AS s"))))
                .sum();
    }
}
