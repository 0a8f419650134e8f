package dev.envelope.app.start;

import dev.envelope.idempotency.output.kafka.OutputRights;
import dev.envelope.idempotency.output.kafka.TimerTopics;
import java.util.List;

/** Checks that firings of timers may be written to the topics that the application reads. */
public record TimersCheck(TimerTopics brokers, List<String> topics) implements ServerCheck {

    @Override
    public String name() {
        return "the topics for timers";
    }

    @Override
    public Verdict look() {
        OutputRights.Answer answer = brokers.ask(topics);
        return switch (answer.finding()) {
            case GRANTED -> new Verdict.Ready();
            case REFUSED -> new Verdict.Refused(answer.words());
            case NO_TRANSACTIONS, WAITING -> new Verdict.Waiting(answer.why());
        };
    }
}
