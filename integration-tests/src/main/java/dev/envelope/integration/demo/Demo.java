package dev.envelope.integration.demo;

import dev.envelope.integration.cluster.Logging;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Shows the program at work on real servers, until Ctrl-C; then everything is gone again, the
 * program first, when it has saved what it fetched.
 *
 * <p>Threads: the main thread shows; a shutdown hook may end it: {@code stopped} lets one of both
 * do so, {@code ended} tells the other.
 */
public final class Demo {

    private static final String APPLICATION = "demo";
    private static final String TOPIC = "payments";
    private static final int PARTITIONS = 8;
    private static final Duration FIRST_ROWS_WITHIN = Duration.ofSeconds(60);
    private static final Duration PAUSE_BEFORE_ROWS = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Screen screen;
    private final Payments payments;
    private final Program program;
    private final SampleRows rows;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Demo(Screen screen, Payments payments, Program program, SampleRows rows) {
        this.screen = screen;
        this.payments = payments;
        this.program = program;
        this.rows = rows;
    }

    public static void main(String[] arguments) {
        DemoOptions options;
        try {
            options = DemoOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("envelope demo: " + e.getMessage() + "\n" + DemoOptions.USAGE);
            System.exit(64);
            return;
        }
        Logging.configure();
        System.exit(run(Screen.ofThisProcess(), options));
    }

    private static int run(Screen screen, DemoOptions options) {
        long begun = System.nanoTime();
        screen.say("starting a broker and a Postgres ...");
        try (LocalStack stack = LocalStack.start()) {
            Database database = stack.postgres().createDatabase(APPLICATION);
            stack.topics().create(TOPIC, PARTITIONS);
            Program program = Program.start(stack, APPLICATION, TOPIC, database);
            Payments payments = Payments.start(stack.broker().bootstrapServers(), TOPIC, options);
            SampleRows rows = new SampleRows(database, APPLICATION);
            Demo demo = new Demo(screen, payments, program, rows);
            stack.workspace().beforeShutdown(demo::stop);
            demo.introduce(begun);
            demo.show(options.length());
            demo.stop();
            return 0;
        } catch (IllegalStateException e) {
            screen.say("the demo has failed: " + e.getMessage());
            return 1;
        }
    }

    /** Waits for the first rows and says where to look. */
    private void introduce(long begun) {
        StatusPage page = new StatusPage(program.url());
        long deadline = System.nanoTime() + FIRST_ROWS_WITHIN.toNanos();
        while (page.read().map(Figures::rows).orElse(0L) == 0) {
            program.requireAlive();
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("no rows yet; see " + program.log());
            }
            if (isStoppedWithin(PAUSE_BEFORE_ROWS)) {
                return;
            }
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        screen.say("first rows after %.1f s".formatted(seconds));
        screen.say("");
        screen.say("  page      " + program.url());
        screen.say(
                "  token     " + program.token() + " (the page wants it from who turns something)");
        screen.say("  stuck?    scripts/envelope stuck --url " + program.url());
        screen.say("  settings  " + program.settings());
        screen.say("  log       " + program.log());
        screen.say("  rows      " + rows.psql());
        screen.say("");
    }

    private void show(Optional<Duration> length) {
        StatusPage page = new StatusPage(program.url());
        long begun = System.nanoTime();
        long lines = 0;
        Figures before = page.read().orElse(Figures.NONE);
        while (!isStoppedWithin(PAUSE)) {
            program.requireAlive();
            Optional<Figures> now = page.read();
            if (now.isPresent()) {
                screen.live(now.get().since(before));
                before = now.get();
            }
            if (lines++ == 2) {
                screen.say("some rows:\n" + rows.read());
                screen.say("(Ctrl-C ends the demo and leaves nothing behind)");
            }
            if (length.isPresent() && System.nanoTime() - begun >= length.get().toNanos()) {
                return;
            }
        }
    }

    private boolean isStoppedWithin(Duration time) {
        try {
            return stopped.get() || ended.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /**
     * The producer first, then the program, which drains; returns when it has. The servers go with
     * the workspace.
     */
    private void stop() {
        if (!stopped.compareAndSet(false, true)) {
            awaitEnd();
            return;
        }
        screen.say("stopping: the program saves what it has fetched");
        payments.close();
        int code = program.stop();
        screen.say(rows.read());
        screen.say("envelope has ended with " + code + "; the servers go, too");
        ended.countDown();
    }

    private void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
