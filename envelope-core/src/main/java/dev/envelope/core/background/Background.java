package dev.envelope.core.background;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Asks what may block on a thread of the background, and brings the answer to the poll thread. A
 * server that is away is an answer, too; whatever else a question throws is a bug, which ends the
 * process by the poll thread.
 *
 * <p>Threads: thread-safe. Questions run in the background, answers on the poll thread.
 */
public final class Background {

    private final Environment environment;
    private final Executor errands;

    /**
     * @param errands runs things on the poll thread
     */
    public Background(Environment environment, Executor errands) {
        this.environment = environment;
        this.errands = errands;
    }

    /**
     * Asks one question.
     *
     * @param what is done, for whoever reads that it broke off: "looking for positions"
     * @param unanswered is called instead of answered when somebody is away
     */
    public <T> void ask(
            String what,
            Supplier<T> question,
            Consumer<T> answered,
            Consumer<UnavailableException> unanswered) {
        environment.background().execute(() -> run(what, question, answered, unanswered));
    }

    /**
     * The same of code of others, which may block for long, on a thread of its own; that it can't
     * be answered now is for the question to say.
     */
    public <T> void askOthers(String what, Supplier<T> question, Consumer<T> answered) {
        environment.blocking().execute(() -> run(what, question, answered, e -> brokeOff(what, e)));
    }

    private <T> void run(
            String what,
            Supplier<T> question,
            Consumer<T> answered,
            Consumer<UnavailableException> unanswered) {
        try {
            T answer = question.get();
            errands.execute(() -> answered.accept(answer));
        } catch (UnavailableException e) {
            errands.execute(() -> unanswered.accept(e));
        } catch (RuntimeException | Error e) {
            errands.execute(() -> brokeOff(what, e));
        }
    }

    private static void brokeOff(String what, Throwable why) {
        throw new InvariantViolation(what + " broke off", why);
    }

    /** Runs something on the poll thread after a while. */
    public void later(Duration wait, Runnable errand) {
        environment.timers().after(wait, () -> errands.execute(errand));
    }

    /** A question to be asked at an interval, whose outages are told to that log. */
    public RepeatedQuestion repeated(Duration every, Logger log, String what) {
        return new RepeatedQuestion(this, environment.ticker(), every, log, what);
    }
}
