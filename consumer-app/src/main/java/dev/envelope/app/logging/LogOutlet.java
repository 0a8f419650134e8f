package dev.envelope.app.logging;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes log lines to standard error on a thread of its own. A thread that logs never blocks: while
 * standard error is not read and the queue is full, lines are dropped and counted, and the count is
 * written once writing goes on.
 *
 * <p>Threads: thread-safe (the queue and the counters are); one thread writes.
 */
public final class LogOutlet extends AsyncAppender {

    private static final int DEFAULT_CAPACITY = 8_192;
    private static final int LAST_WORDS_MILLIS = 2_000;

    private final Lines lines = new Lines();
    private final RepeatedLines repeated = new RepeatedLines(System::nanoTime);
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong droppedWarnings = new AtomicLong();

    /** Writes to this process's standard error. */
    public LogOutlet() {
        this(new FileOutputStream(FileDescriptor.err), DEFAULT_CAPACITY);
    }

    LogOutlet(OutputStream out, int capacity) {
        setQueueSize(capacity);
        setNeverBlock(true);
        setDiscardingThreshold(0); // a line is dropped only if the queue is full
        setMaxFlushTime(LAST_WORDS_MILLIS);
        lines.setOutputStream(out);
    }

    /** Sets the format of lines. */
    public void setEncoder(Encoder<ILoggingEvent> encoder) {
        lines.setEncoder(encoder);
    }

    @Override
    public void start() {
        lines.setContext(getContext());
        lines.start();
        addAppender(lines); // not before: without a context, logback warns on standard output
        super.start();
    }

    @Override
    protected synchronized void put(ILoggingEvent event) { // so no other fills it after the check
        if (getRemainingCapacity() > 0) {
            super.put(event);
        } else {
            dropped.incrementAndGet();
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                droppedWarnings.incrementAndGet();
            }
        }
    }

    /** The part that runs on the writing thread. While it blocks, further lines are dropped. */
    private final class Lines extends OutputStreamAppender<ILoggingEvent> {

        @Override
        protected void writeOut(ILoggingEvent event) throws IOException {
            RepeatedLines.Answer answer = repeated.admit(event);
            if (answer.suppressed() > 0) {
                note(answer.suppressed() + " more lines like the next one were left out");
            }
            if (answer.isAdmitted()) {
                super.writeOut(event);
            }
            long lost = dropped.getAndSet(0);
            if (lost > 0) {
                note(
                        "the log could not be written fast enough: %d lines were dropped, %d of them warnings or errors"
                                .formatted(lost, droppedWarnings.getAndSet(0)));
            }
        }

        private void note(String text) throws IOException {
            writeByteArrayToOutputStreamWithPossibleFlush(
                    getEncoder() instanceof JsonLines json
                            ? json.note(text)
                            : ("... " + text + System.lineSeparator())
                                    .getBytes(StandardCharsets.UTF_8));
        }

        @Override
        protected void closeOutputStream() {
            // Standard error stays open: others write to it, too.
        }
    }
}
