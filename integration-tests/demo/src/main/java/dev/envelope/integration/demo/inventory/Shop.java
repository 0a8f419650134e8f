package dev.envelope.integration.demo.inventory;

import dev.envelope.integration.demo.show.DemoOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Those who order, and who deliver. Most orders come over HTTP and wait for their answers; the
 * others, and the deliveries, are records that a producer sends. An order reserves some of an item,
 * and a little later it is confirmed, released, or forgotten. One item gets a third of all orders.
 *
 * <p>Threads: its own; what is counted, and whether it rests, is asked and told by others.
 */
final class Shop implements AutoCloseable {

    /** The header of a record with the id of its command. */
    static final String ID_HEADER = "command-id";

    private static final Duration TICK = Duration.ofMillis(20);
    private static final int TICKS_A_SECOND = 50;
    private static final int HOLD_MILLIS = 3_000;
    private static final int LONGEST_THOUGHT_MILLIS = 2_000;
    private static final int READS_ONE_OF = 4;

    /** In a long outage nobody orders any more before others have their answers. */
    private static final int MOST_UNDER_WAY = 5_000;

    private static final Duration CLOSED_WITHIN = Duration.ofSeconds(2);

    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Shop::thread);
    private final Random random = new Random(1);
    private final AtomicLong underWay = new AtomicLong();
    private final Counts counts = new Counts();
    private final KafkaProducer<String, String> producer;
    private final Caller caller;
    private final Auditor auditor;
    private final DemoOptions options;
    private volatile boolean resting;

    Shop(String bootstrapServers, List<String> gateways, Auditor auditor, DemoOptions options) {
        this.auditor = auditor;
        this.options = options;
        this.caller = new Caller(gateways, clock);
        this.producer =
                new KafkaProducer<>(
                        // Whoever waits for an answer does not wait for a broker that is away.
                        Map.of(
                                "bootstrap.servers",
                                bootstrapServers,
                                "linger.ms",
                                2,
                                "max.block.ms",
                                200),
                        new StringSerializer(),
                        new StringSerializer());
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "demo-shop");
        thread.setDaemon(true);
        return thread;
    }

    /** Orders come from now on. */
    void start() {
        var unused =
                clock.scheduleAtFixedRate(
                        this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tick() {
        if (resting || underWay.get() > MOST_UNDER_WAY) {
            return;
        }
        double due = (double) options.rate() / TICKS_A_SECOND;
        for (double left = due; left > 0 && random.nextDouble() < left; left--) {
            order();
        }
        // About as many as are sold: half of the orders are confirmed, of two pieces each.
        if (random.nextDouble() < due / 10) {
            deliver(item(), 10);
        }
    }

    private String item() {
        return "item-" + (random.nextInt(3) == 0 ? 0 : random.nextInt(options.keys()));
    }

    private void deliver(String item, int quantity) {
        produce(item, "{\"action\":\"deliver\",\"quantity\":%d}".formatted(quantity));
    }

    private void order() {
        String item = item();
        String order = UUID.randomUUID().toString();
        String reserve =
                "{\"action\":\"reserve\",\"order\":\"%s\",\"quantity\":%d,\"holdMillis\":%d}"
                        .formatted(order, 1 + random.nextInt(3), HOLD_MILLIS);
        counts.ordered();
        if (random.nextInt(5) == 0) {
            produce(item, reserve);
            decide(order, json -> produce(item, json));
        } else {
            call(
                    item,
                    reserve,
                    answer -> {
                        if (answer.what().equals("reserved")) {
                            decide(order, json -> call(item, json, ended -> {}));
                        }
                    });
        }
    }

    /** A little later: six of ten are confirmed, two released, two forgotten. */
    private void decide(String order, Consumer<String> send) {
        int luck = random.nextInt(10);
        if (luck < 8 && !clock.isShutdown()) {
            String json =
                    "{\"action\":\"%s\",\"order\":\"%s\"}"
                            .formatted(luck < 6 ? "confirm" : "release", order);
            underWay.incrementAndGet();
            var unused =
                    clock.schedule(
                            () -> {
                                send.accept(json);
                                underWay.decrementAndGet();
                            },
                            random.nextInt(LONGEST_THOUGHT_MILLIS),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void call(String item, String json, Consumer<ItemBook.Event> then) {
        String command = UUID.randomUUID().toString();
        long begun = System.nanoTime();
        underWay.incrementAndGet();
        var unused =
                caller.send(item, command, json)
                        .whenComplete(
                                (answer, failure) -> {
                                    if (failure == null) {
                                        long took = System.nanoTime() - begun;
                                        ItemBook.Event event = answer.event();
                                        counts.answered(event, TimeUnit.NANOSECONDS.toMillis(took));
                                        auditor.told(item, command, event);
                                        if (random.nextInt(READS_ONE_OF) == 0) {
                                            read(item, answer.place());
                                        }
                                        then.accept(event);
                                    } else {
                                        counts.failed(String.valueOf(failure.getMessage()));
                                    }
                                    underWay.decrementAndGet();
                                });
    }

    /** What was just written, from any instance. */
    private void read(String item, Caller.Place place) {
        underWay.incrementAndGet();
        var unused =
                caller.read(item, place)
                        .whenComplete(
                                (reading, failure) -> {
                                    if (failure != null) {
                                        counts.failed(String.valueOf(failure.getMessage()));
                                    } else {
                                        reading.ifPresent(it -> auditor.read(it, place.offset()));
                                    }
                                    underWay.decrementAndGet();
                                });
    }

    private void produce(String item, String json) {
        ProducerRecord<String, String> entry =
                new ProducerRecord<>(InventoryPlay.TOPIC, item, json);
        entry.headers()
                .add(ID_HEADER, UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
        underWay.incrementAndGet();
        var unused = producer.send(entry, (place, failure) -> underWay.decrementAndGet());
    }

    /** No more orders come; those that there are go on. */
    void rest() {
        resting = true;
    }

    void goOn() {
        resting = false;
    }

    /** Whether it rests, and all callers have their answers. */
    boolean isQuiet() {
        return resting && underWay.get() == 0;
    }

    boolean isResting() {
        return resting;
    }

    Counts.Seen counts() {
        return counts.look();
    }

    /** How often a command was sent again, since nobody had answered. */
    long repeated() {
        return caller.repeated();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        producer.close(CLOSED_WITHIN);
    }
}
