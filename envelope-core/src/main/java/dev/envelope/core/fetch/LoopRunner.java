package dev.envelope.core.fetch;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The poll thread's life: turns until the loop ends or the program turns out to be wrong.
 *
 * <p>Threads: it is the poll thread.
 */
public final class LoopRunner implements Runnable {

    private final PollLoop loop;
    private final Runnable afterTurn;
    private final Consumer<@Nullable Throwable> ended;

    /**
     * @param afterTurn called after each turn; must not block
     * @param ended called once, at the end: null, or the fault that ended it
     */
    public LoopRunner(PollLoop loop, Runnable afterTurn, Consumer<@Nullable Throwable> ended) {
        this.loop = loop;
        this.afterTurn = afterTurn;
        this.ended = ended;
    }

    @Override
    public void run() {
        try {
            while (loop.turn()) {
                afterTurn.run();
            }
            ended.accept(null);
        } catch (Throwable e) { // the one catch-all of this thread
            loop.abandon();
            ended.accept(e);
        }
    }
}
