package dev.envelope.core.background;

import dev.envelope.core.api.Environment.Parker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What others ask the poll thread to do: answers from the background, and requests.
 *
 * <p>Threads: thread-safe (a concurrent queue); only the poll thread runs them.
 */
public final class Errands implements Executor {

    private final Queue<Runnable> errands = new ConcurrentLinkedQueue<>();
    private final Parker parker;

    public Errands(Parker parker) {
        this.parker = parker;
    }

    @Override
    public void execute(Runnable errand) {
        errands.add(errand);
        parker.unpark();
    }

    /** Poll thread: runs everything that is there now. */
    public void run() {
        int count = errands.size();
        for (int i = 0; i < count; i++) {
            @Nullable Runnable errand = errands.poll();
            if (errand != null) {
                errand.run();
            }
        }
    }
}
