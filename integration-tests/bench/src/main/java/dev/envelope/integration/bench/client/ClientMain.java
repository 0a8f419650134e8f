package dev.envelope.integration.bench.client;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/**
 * The process of a contestant: runs it, and writes down what it measured. A SIGTERM ends it as if
 * it were done.
 */
public final class ClientMain {

    private static final Map<String, Starter> OWN =
            Map.ofEntries(
                    Map.entry("envelope", EngineClient::withHandlerClass),
                    Map.entry("no-cache", EngineClient::withoutCache),
                    Map.entry("no-envelopes", EngineClient::withoutEnvelopes),
                    Map.entry("emit", EmittingClient::started),
                    Map.entry("fold", EngineClient::withBuiltInFold),
                    Map.entry("loop", StrongLoop::withUpsert),
                    Map.entry("loop-copy", StrongLoop::withCopy),
                    Map.entry("record", RecordLoop::started),
                    Map.entry("pool64", PoolLoop::of64Threads),
                    Map.entry("pool256", PoolLoop::of256VirtualThreads),
                    Map.entry("virtual256", EngineClient::withVirtualThreads),
                    Map.entry("poll", PollOnly::started),
                    Map.entry("memfold", MemoryFold::started),
                    Map.entry("upsert", BulkUpsert::started));

    private ClientMain() {}

    public static void main(String[] arguments)
            throws InterruptedException, IOException, SQLException {
        ClientSpec spec = ClientSpec.read(Path.of(arguments[0]));
        Stopwatch stopwatch = Stopwatch.OF_THIS_PROCESS;
        stopwatch.expect(spec.stop());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> finish(stopwatch)));
        Observer observer = new Observer(stopwatch, spec.watch());
        Properties result = new Properties();
        Client client = starter(spec.contestant()).start(spec, observer);
        if (spec.watch().heap()) {
            result.setProperty("peakLiveHeap", Long.toString(LiveHeap.peakUntil(stopwatch)));
        }
        stopwatch.awaitDone();
        // Before the collection that measures the live heap, and with the client still at work.
        result.setProperty("peakResident", Long.toString(ResidentMemory.peakBytes()));
        result.setProperty("liveHeap", Long.toString(LiveHeap.now()));
        client.close();
        stopwatch.tell(result, spec.watch().launchedMicros());
        observer.tell(result, spec.result().resolveSibling(spec.result().getFileName() + ".saves"));
        write(result, spec.result());
        if (FlightRecorder.isInitialized()) {
            FlightRecorder.getFlightRecorder().getRecordings().forEach(Recording::stop);
        }
        Runtime.getRuntime().halt(0); // a client of Kafka may keep a thread for a while
    }

    private static Starter starter(String name) {
        Map<String, Starter> starters = new HashMap<>(OWN);
        ServiceLoader.load(Starter.Peers.class).forEach(peers -> starters.putAll(peers.starters()));
        Starter starter = starters.get(name);
        if (starter == null) {
            throw new IllegalArgumentException(
                    "no contestant " + name + " on the class path; there are " + starters.keySet());
        }
        return starter;
    }

    /** On a signal: the main thread closes, writes, and halts while this one waits. */
    private static void finish(Stopwatch stopwatch) {
        stopwatch.finish();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Properties result, Path to) throws IOException {
        Path half = to.resolveSibling(to.getFileName() + ".half");
        try (Writer writer = Files.newBufferedWriter(half)) {
            result.store(writer, null);
        }
        Files.move(half, to);
    }
}
