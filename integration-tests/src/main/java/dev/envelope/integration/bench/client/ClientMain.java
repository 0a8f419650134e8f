package dev.envelope.integration.bench.client;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;

/** The process of a contestant: runs it, and writes down what it measured. */
public final class ClientMain {

    private ClientMain() {}

    public static void main(String[] arguments)
            throws InterruptedException, IOException, SQLException {
        ClientSpec spec = ClientSpec.parse(arguments);
        Stopwatch stopwatch = Stopwatch.OF_THIS_PROCESS;
        stopwatch.expect(spec.records());
        Properties result = new Properties();
        Client client = start(spec, stopwatch);
        if (spec.watchesHeap()) {
            result.setProperty("peakLiveHeap", Long.toString(LiveHeap.peakUntil(stopwatch)));
        }
        stopwatch.awaitDone();
        // Before the collection that measures the live heap, and with the client still at work.
        result.setProperty("peakResident", Long.toString(ResidentMemory.peakBytes()));
        result.setProperty("liveHeap", Long.toString(LiveHeap.now()));
        client.close();
        result.setProperty("seconds", Double.toString(stopwatch.seconds()));
        result.setProperty("cpuSeconds", Double.toString(stopwatch.cpuSeconds()));
        result.setProperty("records", Long.toString(stopwatch.records()));
        write(result, spec.result());
        System.exit(0); // a client of Kafka may keep a thread for a while
    }

    private static Client start(ClientSpec spec, Stopwatch stopwatch) throws SQLException {
        return switch (spec.kind()) {
            case ENVELOPE -> EngineClient.withHandlerClass(spec, stopwatch);
            case ENVELOPE_FOLD -> EngineClient.withBuiltInFold(spec, stopwatch);
            case BATCH_LOOP -> LoopThread.start(new BatchLoop(spec, stopwatch));
            case RECORD_LOOP -> LoopThread.start(new RecordLoop(spec, stopwatch));
        };
    }

    private static void write(Properties result, Path to) throws IOException {
        try (Writer writer = Files.newBufferedWriter(to)) {
            result.store(writer, null);
        }
    }
}
