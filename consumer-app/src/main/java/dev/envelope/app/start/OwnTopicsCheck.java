package dev.envelope.app.start;

import dev.envelope.idempotency.output.kafka.OutputRights;
import dev.envelope.idempotency.output.kafka.OwnTopics;
import java.util.List;
import java.util.Optional;

/**
 * Checks that the application may write to topics that it reads, as timers and the gateway want it.
 *
 * @param brokers are asked; empty if neither is used
 */
public record OwnTopicsCheck(Optional<OwnTopics> brokers, List<String> topics)
        implements ServerCheck {

    @Override
    public String name() {
        return "the topics for timers and commands";
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
