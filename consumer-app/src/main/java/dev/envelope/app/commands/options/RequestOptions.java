package dev.envelope.app.commands.options;

import dev.envelope.app.process.ExitCode;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** The options of commands that write a request, and wait for an instance to carry it out. */
public class RequestOptions extends DatabaseOptions {

    /** An instance counts as running if it was seen since; it tells once a second. */
    public static final Duration SEEN = Duration.ofSeconds(15);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_EVERY_MILLIS = 100;

    /**
     * What became of a request.
     *
     * @param request its number; 0 if there was nothing to request
     * @param done whether it was answered
     */
    private record Outcome(long request, boolean done, boolean carriedOut, String answer) {}

    /**
     * Writes a request, waits for the answer, and prints it.
     *
     * @param ask writes the request in the user's name, and returns its number
     * @param nothing what is printed if there was nothing to request
     * @return the code to exit with
     */
    public final int request(
            BiFunction<RequestCatalog, String, Optional<Long>> ask, String nothing) {
        Outcome outcome =
                inDatabase(
                        OperatorStore::requests,
                        catalog ->
                                ask.apply(catalog, who())
                                        .map(number -> follow(catalog, number))
                                        .orElse(new Outcome(0, false, false, nothing)));
        print(outcome, json -> fill("{answer}", json));
        return outcome.carriedOut() ? ExitCode.OK : NOT_DONE;
    }

    private static Outcome follow(RequestCatalog catalog, long number) {
        String open = "is still under way; see the log of the instance";
        Optional<String> answer = Optional.empty();
        if (catalog.isAnybodyThere(SEEN)) {
            answer = await(catalog, number);
        } else {
            open = "is queued: no instance is running; the next that starts carries it out";
        }
        return new Outcome(
                number,
                answer.isPresent(),
                answer.filter(Answers::isDone).isPresent(),
                answer.orElse("request %d %s".formatted(number, open)));
    }

    private static Optional<String> await(RequestCatalog catalog, long request) {
        CountDownLatch never = new CountDownLatch(1);
        try {
            for (long waited = 0; waited < PATIENCE.toMillis(); waited += LOOK_EVERY_MILLIS) {
                Optional<String> answer = catalog.answerTo(request);
                if (answer.isPresent() || never.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                    return answer;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
