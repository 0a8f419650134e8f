package dev.envelope.app.start;

import dev.envelope.app.config.key.OutputKeys.Delivery;
import dev.envelope.idempotency.output.kafka.OutputRights;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that what handlers emit can be sent to Kafka as the settings want it: that the brokers
 * have transactions, and give us the rights. Without transactions outputs are sent at least once,
 * unless the settings ask for exactly once. A missing right is always refused.
 *
 * <p>Threads: one check at a time; its finding may be read by the thread that waited for it.
 */
public final class OutputsCheck implements ServerCheck {

    private static final Logger log = LoggerFactory.getLogger(OutputsCheck.class);

    private final Optional<Delivery> wanted;
    private final Optional<OutputRights> rights;
    private final List<String> topics;
    private boolean isSureOfThat; // the checks only
    private volatile boolean hasTransactions = true;

    /**
     * @param wanted how outputs are to be sent, if the settings say so
     * @param rights asks the brokers; empty if nothing is emitted
     * @param topics the topics of outputs that the settings name
     */
    public OutputsCheck(
            Optional<Delivery> wanted, Optional<OutputRights> rights, List<String> topics) {
        this.wanted = wanted;
        this.rights = rights;
        this.topics = List.copyOf(topics);
    }

    @Override
    public String name() {
        return "the broker's transactions";
    }

    /** How outputs are sent. */
    public Delivery delivery() {
        return wanted.orElse(hasTransactions ? Delivery.EXACTLY_ONCE : Delivery.AT_LEAST_ONCE);
    }

    @Override
    public Verdict look() {
        if (rights.isEmpty() || wanted.filter(it -> it != Delivery.EXACTLY_ONCE).isPresent()) {
            return new Verdict.Ready();
        }
        OutputRights.Answer answer = rights.get().ask(topics);
        return switch (answer.finding()) {
            case GRANTED -> new Verdict.Ready();
            case REFUSED -> new Verdict.Refused(withTheOtherWay(answer.words()));
            case NO_TRANSACTIONS -> withoutTransactions(answer.why());
            case WAITING -> new Verdict.Waiting(answer.why());
        };
    }

    private static List<String> withTheOtherWay(List<String> sentences) {
        return sentences.stream().map(it -> it + "; or set output.delivery=at-least-once").toList();
    }

    private Verdict withoutTransactions(String why) {
        if (wanted.isPresent()) {
            return new Verdict.Refused(
                    List.of(
                            "outputs can't be sent exactly once, for the brokers have no"
                                    + " transactions: "
                                    + why
                                    + "; set output.delivery=at-least-once"));
        }
        if (hasTransactions && !isSureOfThat) {
            isSureOfThat = true; // a cluster that comes up has none for a while
            return new Verdict.Waiting("the brokers have no transactions: " + why);
        }
        log.warn(
                "outputs are sent at least once, for the brokers have no transactions: {}"
                        + " (output.delivery)",
                why);
        hasTransactions = false;
        return new Verdict.Ready();
    }
}
