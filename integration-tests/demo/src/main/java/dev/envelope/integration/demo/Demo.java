package dev.envelope.integration.demo;

import dev.envelope.integration.demo.group.Instance;
import dev.envelope.integration.demo.inventory.InventoryPlay;
import dev.envelope.integration.demo.payments.PaymentsPlay;
import dev.envelope.integration.demo.show.DemoOptions;
import dev.envelope.integration.demo.show.DemoServer;
import dev.envelope.integration.demo.show.Play;
import dev.envelope.integration.demo.show.Screen;
import dev.envelope.integration.demo.work.WorkPlay;
import dev.envelope.integration.stack.Logging;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.Stream;

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

    /** A demo, by its name on the command line. */
    private record Kind(
            String name, BiFunction<ProxiedStack, DemoOptions, Play> play, DemoOptions defaults) {

        static final Kind PAYMENTS = of("payments", PaymentsPlay::new, 4_000, 1_000);
        static final Kind INVENTORY = of("inventory", InventoryPlay::new, 100, 50);

        static final Kind WORK = of("work", WorkPlay::new, 500, 200);

        private static Kind of(
                String name, BiFunction<ProxiedStack, DemoOptions, Play> play, int rate, int keys) {
            return new Kind(name, play, DemoOptions.of(rate, keys));
        }

        static Kind of(String name) {
            return Stream.of(PAYMENTS, INVENTORY, WORK)
                    .filter(it -> it.name.equals(name))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new IllegalArgumentException(
                                            name + " is no demo: payments, inventory or work"));
        }
    }

    private final Screen screen;
    private final Play play;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final CountDownLatch ending = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    private Demo(Screen screen, Play play) {
        this.screen = screen;
        this.play = play;
    }

    public static void main(String[] arguments) {
        boolean isNamed = arguments.length > 0 && !arguments[0].startsWith("--");
        Kind kind;
        DemoOptions options;
        try {
            kind = isNamed ? Kind.of(arguments[0]) : Kind.PAYMENTS;
            options =
                    kind.defaults.with(
                            Arrays.copyOfRange(arguments, isNamed ? 1 : 0, arguments.length));
            if (!kind.equals(Kind.INVENTORY)) {
                options.requireFewFaults();
            }
        } catch (IllegalArgumentException e) {
            System.err.println("envelope demo: " + e.getMessage() + "\n" + DemoOptions.USAGE);
            System.exit(64);
            return;
        }
        Logging.configure();
        System.exit(run(Screen.ofThisProcess(), kind, options));
    }

    private static int run(Screen screen, Kind kind, DemoOptions options) {
        long begun = System.nanoTime();
        try (DemoServer page = DemoServer.start(kind.name)) {
            screen.say("the page is " + page.url() + "; starting a broker and a Postgres ...");
            try (ProxiedStack stack = ProxiedStack.start()) {
                Play play = kind.play.apply(stack, options);
                Demo demo = new Demo(screen, play);
                stack.direct().workspace().beforeShutdown(demo::stop);
                page.show(play);
                demo.introduce(begun, page.url());
                demo.show(options.length());
                demo.prove();
                demo.stop();
                return play.isProved() ? 0 : 1;
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
        while (!play.hasRows()) {
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
        screen.say("  page        " + page + "  (its buttons make things go wrong)");
        for (Instance instance : play.instances()) {
            screen.say("  instance " + instance.number() + "  " + instance.url());
        }
        Instance first = play.instances().get(0);
        screen.say("  token       " + first.token() + "  (the instances want it for changes)");
        screen.say("  stuck?      scripts/envelope stuck --url " + first.url());
        screen.say("  settings    " + first.settings());
        screen.say("  rows        " + play.psql());
        screen.say("");
        play.begin();
    }

    private void show(Optional<Duration> length) {
        long begun = System.nanoTime();
        long lines = 0;
        Optional<String> told = Optional.empty();
        while (!isStoppedWithin(PAUSE)) {
            screen.live(play.look());
            if (!play.proof().equals(told)) {
                told = play.proof();
                told.ifPresent(screen::say);
            }
            if (lines++ == 2) {
                screen.say("some rows:\n" + play.rows());
                screen.say("(Ctrl-C ends the demo and leaves nothing behind)");
            }
            if (length.isPresent() && System.nanoTime() - begun >= length.get().toNanos()) {
                return;
            }
        }
    }

    /** For one that ends by itself; who presses Ctrl-C does not want to wait. */
    private void prove() {
        try {
            if (!stopped.get()) {
                play.prove();
            }
        } catch (IllegalStateException e) {
            screen.say("not proved: " + e.getMessage());
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
            String codes = play.stop().toString();
            play.proof().ifPresent(screen::say);
            screen.say(play.rows());
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
