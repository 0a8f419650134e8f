package dev.envelope.app.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes log lines to standard error on a thread of its own. Whoever logs never waits: when nobody
 * reads what is written and the queue is full, lines are dropped and counted, and the count is
 * written as soon as writing goes on.
 *
 * <p>Threads: thread-safe (the queue and the counters are); one thread writes.
 */
public final class LogOutlet extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private static final int DEFAULT_CAPACITY = 8_192;
    private static final long LAST_WORDS_MILLIS = 2_000;

    private final OutputStream out;
    private final BlockingQueue<ILoggingEvent> queue;
    private final RepeatedLines repeated = new RepeatedLines(System::nanoTime);
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong droppedWarnings = new AtomicLong();
    private volatile @Nullable Encoder<ILoggingEvent> encoder; // there before the start
    private volatile @Nullable Thread writer;

    /** Writes to this process's standard error. */
    public LogOutlet() {
        this(new FileOutputStream(FileDescriptor.err), DEFAULT_CAPACITY);
    }

    LogOutlet(OutputStream out, int capacity) {
        this.out = out;
        this.queue = new ArrayBlockingQueue<>(capacity);
    }

    /** How a line is laid out. */
    public void setEncoder(Encoder<ILoggingEvent> encoder) {
        this.encoder = encoder;
    }

    @Override
    public void start() {
        if (encoder == null) {
            addError("a log outlet needs an encoder");
            return;
        }
        super.start();
        Thread thread = new Thread(this::write, "envelope-log");
        thread.setDaemon(true);
        writer = thread;
        thread.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        if (!queue.offer(event)) {
            dropped.incrementAndGet();
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                droppedWarnings.incrementAndGet();
            }
        }
    }

    /** Ends after what is queued has been written, or two seconds. */
    @Override
    public void stop() {
        Thread thread = writer;
        if (!isStarted() || thread == null) {
            return;
        }
        super.stop();
        try {
            thread.join(LAST_WORDS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write() {
        try {
            while (isStarted() || !queue.isEmpty()) {
                ILoggingEvent event = queue.poll(100, TimeUnit.MILLISECONDS);
                if (event != null) {
                    write(event);
                }
                sayWhatWasDropped();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            addError("nobody reads the log any more", e);
            drain();
        }
    }

    private void write(ILoggingEvent event) throws IOException {
        RepeatedLines.Answer answer = repeated.admit(event);
        if (answer.suppressed() > 0) {
            line(answer.suppressed() + " more lines like the next one were left out");
        }
        Encoder<ILoggingEvent> layout = encoder;
        if (answer.isAdmitted() && layout != null) {
            out.write(layout.encode(event));
            out.flush();
        }
    }

    private void sayWhatWasDropped() throws IOException {
        long lines = dropped.getAndSet(0);
        if (lines > 0) {
            long warnings = droppedWarnings.getAndSet(0);
            line(
                    "the log could not be written fast enough: "
                            + lines
                            + " lines were dropped, "
                            + warnings
                            + " of them warnings or errors");
        }
    }

    private void line(String text) throws IOException {
        out.write(
                encoder instanceof JsonLines json
                        ? json.note(text)
                        : ("... " + text + System.lineSeparator())
                                .getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Without a reader nothing is kept, so that nobody runs out of memory either. */
    private void drain() {
        while (isStarted()) {
            try {
                queue.take();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
