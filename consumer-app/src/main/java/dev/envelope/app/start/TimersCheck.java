package dev.envelope.app.start;

import dev.envelope.idempotency.output.kafka.OutputRights;
import dev.envelope.idempotency.output.kafka.TimerTopics;
import java.util.List;
import java.util.Optional;

/**
 * Checks that firings of timers may be written to the topics that the application reads.
 *
 * @param brokers are asked; empty without timers
 */
public record TimersCheck(Optional<TimerTopics> brokers, List<String> topics)
        implements ServerCheck {

    @Override
    public String name() {
        return "the topics for timers";
    }

    @Override
    public Verdict look() {
        if (brokers.isEmpty()) {
            return new Verdict.Ready();
        }
        OutputRights.Answer answer = brokers.get().ask(topics);
        return switch (answer.finding()) {
            case GRANTED -> new Verdict.Ready();
            case REFUSED -> new Verdict.Refused(answer.words());
            case NO_TRANSACTIONS, WAITING -> new Verdict.Waiting(answer.why());
        };
    }
}
