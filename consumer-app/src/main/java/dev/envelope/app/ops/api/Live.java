package dev.envelope.app.ops.api;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.RateLimit;
import dev.envelope.app.ops.StatusDocument;
import dev.envelope.app.ops.live.History;
import dev.envelope.app.ops.live.Pace;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Words;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the page shows each second, as a stream of server-sent events. Each stream occupies one of
 * the server's threads, and their number is limited: a caller that does not read blocks only its
 * own.
 *
 * <p>Threads: thread-safe (a semaphore; the sources are).
 */
public final class Live implements AutoCloseable {

    /** How many streams there may be at a time. */
    public static final int MOST_STREAMS = 8;

    private static final Logger log = LoggerFactory.getLogger(Live.class);
    private static final byte[] EVENT = "data: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_EVENT = "\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final long EVERY_MILLIS = 1_000;
    private static final int KEYS = 12;

    private final Supplier<ProcessStatus> status;
    private final Supplier<Optional<Engine>> engine;
    private final Rows rows;
    private final Meters meters;
    private final History history;
    private final Timeline timeline;
    private final Semaphore streams = new Semaphore(MOST_STREAMS);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final RateLimit lines = new RateLimit(1, System::nanoTime);
    private final Supplier<Map<String, Object>> present = Remembered.of(this::present);

    /** Makes streams from these sources. */
    public Live(
            Supplier<ProcessStatus> status,
            Supplier<Optional<Engine>> engine,
            Rows rows,
            Meters meters,
            History history,
            Timeline timeline) {
        this.status = status;
        this.engine = engine;
        this.rows = rows;
        this.meters = meters;
        this.history = history;
        this.timeline = timeline;
    }

    /** Answers with a stream that ends when the caller disconnects or the process ends. */
    Answer stream(Call call) {
        if (!streams.tryAcquire()) {
            throw new Refused(503, MOST_STREAMS + " pages are open already: close one");
        }
        return new Answer(200, "text/event-stream;charset=utf-8", this::tell);
    }

    private void tell(OutputStream reader) throws IOException {
        try {
            long last = 0;
            boolean ends = false;
            while (!ends) {
                List<History.Sample> news = history.after(last);
                last = news.isEmpty() ? last : news.get(news.size() - 1).at();
                reader.write(EVENT);
                reader.write(Answer.written(now(news)));
                reader.write(END_OF_EVENT);
                reader.flush();
                ends = closed.await(EVERY_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            streams.release();
        }
    }

    /** The same document once, with all samples. */
    Map<String, Object> now() {
        return now(history.samples());
    }

    private Map<String, Object> now(List<History.Sample> samples) {
        Map<String, Object> document = new LinkedHashMap<>(present.get());
        document.put("samples", samples);
        return document;
    }

    /** The part of the document that is the same for all callers, made once for all of them. */
    private Map<String, Object> present() {
        ProcessStatus now = status.get();
        Optional<Engine> running = engine.get();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("status", StatusDocument.status(now));
        document.put("stuck", stuck(now));
        document.put("behindMillis", now.behindMillis(System.currentTimeMillis()));
        document.put("pace", pace(now).orElse(""));
        document.put("flow", flow(now, running.map(Engine::messagesByStage).orElse(Map.of())));
        document.put("hottest", meters.hottest(KEYS));
        document.put("waiting", running.map(Live::waiting).orElse(List.of()));
        document.put("events", timeline.newestFirst());
        return document;
    }

    /** How many messages are at each stage. */
    private static Map<String, Object> flow(ProcessStatus status, Map<Stage, Integer> inTurns) {
        Map<String, Object> document = new LinkedHashMap<>();
        long inAll = inTurns.values().stream().mapToInt(Integer::intValue).sum();
        document.put("waiting", Math.max(0, status.unacked() - inAll));
        inTurns.forEach((stage, messages) -> document.put(stage.name(), messages));
        document.put("uncommitted", status.uncommitted());
        return document;
    }

    private static List<Map<String, Object>> waiting(Engine engine) {
        return engine.longestWaiting(KEYS).stream().map(it -> waiting(engine, it)).toList();
    }

    private static Map<String, Object> waiting(Engine engine, Map.Entry<String, Standing> key) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key.getKey());
        document.putAll(StuckDocument.standing(key.getValue(), engine.since(key.getValue())));
        return document;
    }

    private Optional<String> pace(ProcessStatus now) {
        return Pace.inWords(now, history.samples());
    }

    private StuckDocument stuck(ProcessStatus now) {
        List<Holdup> holdups = engine.get().map(Engine::holdups).orElse(List.of());
        return StuckDocument.of(now, holdups, Locks.sentences(rows, now, holdups), pace(now));
    }

    /**
     * What a caller of the gateway is told of a key and its partition, if a message of it is not
     * handled yet. What else is known goes to the log, once a second.
     */
    public List<String> findings(String key, TopicPartition partition) {
        ProcessStatus now = status.get();
        Optional<Engine> running = engine.get();
        if (lines.admits()) {
            log.info(
                    "a command of key {} was not handled in its caller's time: {}",
                    Words.quote(key),
                    KeyFindings.of(key, partition, now, running));
        }
        return KeyFindings.forCaller(key, partition, now, running);
    }

    /** Why the lag is stuck. */
    StuckDocument stuck() {
        return stuck(status.get());
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
