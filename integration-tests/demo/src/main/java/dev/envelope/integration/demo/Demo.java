package dev.envelope.integration.demo;

import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Logging;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Shows the program at work on real servers, until Ctrl-C; then everything is gone again, the
 * instances first, when they have saved what they fetched.
 *
 * <p>Threads: the main thread shows; a shutdown hook may end it: {@code stopped} lets one of both
 * do so, {@code ended} tells the other.
 */
public final class Demo {

    private static final Duration FIRST_ROWS_WITHIN = Duration.ofSeconds(90);
    private static final Duration PAUSE_BEFORE_ROWS = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(45);

    private final Screen screen;
    private final DemoRun run;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final CountDownLatch ending = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    private Demo(Screen screen, DemoRun run) {
        this.screen = screen;
        this.run = run;
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
        try (DemoServer page = DemoServer.start()) {
            screen.say("the page is " + page.url() + "; starting a broker and a Postgres ...");
            try (LocalStack stack = LocalStack.start()) {
                DemoRun run = new DemoRun(stack, options);
                Demo demo = new Demo(screen, run);
                stack.workspace().beforeShutdown(demo::stop);
                page.show(run);
                demo.introduce(begun, page.url());
                demo.show(options.length());
                demo.compare();
                demo.stop();
                return 0;
            }
        } catch (RuntimeException e) {
            if (!isEnding()) {
                screen.say("the demo has failed: " + e.getMessage());
            }
            return 1;
        }
    }

    /** Whether a signal is what everything fails of now. */
    private static boolean isEnding() {
        Thread probe = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException shuttingDown) {
            return true;
        }
    }

    /** Waits for the first rows and says where to look. */
    private void introduce(long begun, String page) {
        long deadline = System.nanoTime() + FIRST_ROWS_WITHIN.toNanos();
        while (!run.hasRows()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("no rows yet");
            }
            if (isStoppedWithin(PAUSE_BEFORE_ROWS)) {
                return;
            }
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        screen.say("first rows after %.1f s".formatted(seconds));
        screen.say("");
        screen.say("  page        " + page + "  (buttons: burst, slow database, poison, kill)");
        for (Instance instance : run.instances()) {
            screen.say("  instance " + instance.number() + "  " + instance.url());
        }
        Instance first = run.instances().get(0);
        screen.say("  token       " + first.token() + "  (the instances want it for changes)");
        screen.say("  stuck?      scripts/envelope stuck --url " + first.url());
        screen.say("  settings    " + first.settings());
        screen.say("  rows        " + run.rows().psql());
        screen.say("");
        run.begin();
    }

    private void show(Optional<Duration> length) {
        long begun = System.nanoTime();
        long lines = 0;
        Optional<Comparison> told = Optional.empty();
        while (!isStoppedWithin(PAUSE)) {
            Moment moment = run.look();
            screen.live(Sentences.line(moment));
            if (!moment.proof().equals(told)) {
                told = moment.proof();
                told.ifPresent(it -> screen.say(it.inWords()));
            }
            if (lines++ == 2) {
                screen.say("some rows:\n" + run.rows().read());
                screen.say("(Ctrl-C ends the demo and leaves nothing behind)");
            }
            if (length.isPresent() && System.nanoTime() - begun >= length.get().toNanos()) {
                return;
            }
        }
    }

    /** For one that ends by itself; who presses Ctrl-C does not want to wait. */
    private void compare() {
        try {
            if (!stopped.get()) {
                var unused = run.compare();
            }
        } catch (IllegalStateException e) {
            screen.say("not compared: " + e.getMessage());
        }
    }

    private boolean isStoppedWithin(Duration time) {
        try {
            return ending.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Returns when the instances have ended. The servers go with the workspace. */
    private void stop() {
        if (!stopped.compareAndSet(false, true)) {
            awaitEnd();
            return;
        }
        ending.countDown();
        try {
            screen.say("stopping: the instances save what they have fetched");
            String codes = run.stop().toString();
            run.lastComparison().ifPresent(it -> screen.say(it.inWords()));
            screen.say(run.rows().read());
            screen.say("the instances have ended with " + codes + "; the servers go, too");
        } catch (RuntimeException e) {
            // Whatever still runs is killed with the workspace.
            screen.say("the instances are killed: " + e.getMessage());
        } finally {
            ended.countDown();
        }
    }

    private void awaitEnd() {
        try {
            var unused = ended.await(ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
