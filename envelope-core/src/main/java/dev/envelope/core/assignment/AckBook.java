package dev.envelope.core.assignment;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.MustStopException;
import dev.envelope.core.api.Words;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.offset.AckInbox.Acked;
import dev.envelope.core.offset.AckInbox.Failed;
import dev.envelope.core.offset.AckInbox.Impatient;
import dev.envelope.core.offset.AckInbox.Notice;

/**
 * Books what workers have told: acks into the ledgers, and what needs more than that to whoever
 * sees to it. A notice of an epoch that is not the partition's present one changes nothing (I6).
 *
 * <p>Threads: poll thread only.
 */
public final class AckBook {

    private final AckInbox inbox;
    private final Assignment assignment;
    private final Positioning positioning;

    public AckBook(AckInbox inbox, Assignment assignment, Positioning positioning) {
        this.inbox = inbox;
        this.assignment = assignment;
        this.positioning = positioning;
    }

    public void turn() {
        inbox.drain(this::book);
    }

    private void book(Notice notice) {
        assignment.of(notice.epoch()).ifPresent(partition -> book(notice, partition));
    }

    private void book(Notice notice, AssignedPartition partition) {
        if (notice instanceof Acked acked) {
            partition.commitment().ifPresent(it -> acked.bookInto(it.ledger()));
        } else if (notice instanceof Failed failed) {
            book(failed, partition);
        } else if (notice instanceof Impatient impatient) {
            positioning.stop(partition, reason(impatient));
        } else {
            positioning.beginAllAnew();
        }
    }

    private void book(Failed failed, AssignedPartition partition) {
        if (failed.cause() instanceof MustStopException) {
            String why = String.valueOf(failed.cause().getMessage());
            positioning.stopUntilResumed(partition, failed.epoch().source(), why);
        } else {
            positioning.stop(partition, reason(failed));
        }
    }

    private static String reason(Failed failed) {
        Message message = failed.message();
        return "message "
                + message
                + (Message.isOfNoRow(message.key())
                        ? " without a row"
                        : " of key " + Words.quote(message.key()))
                + (failed.attempts() == 1
                        ? " failed once, with "
                        : " failed " + failed.attempts() + " times, last with ")
                + Words.describe(failed.cause())
                + what(failed.policy())
                + ": nothing is committed past it; mend the handler or the data and start again";
    }

    private static String reason(Impatient impatient) {
        Message message = impatient.message();
        return "message "
                + message
                + " of key "
                + Words.quote(message.key())
                + " has waited for "
                + impatient.after().toSeconds()
                + " s: "
                + Words.describe(impatient.cause())
                + ". Nothing is committed past it, and nothing was parked for it; mend that and start"
                + " again";
    }

    private static String what(FailurePolicy.Last policy) {
        return switch (policy) {
            case STOP -> ". on.failure=stop";
            case PARK -> ", when it was to be parked";
            case DEAD_LETTER -> ", when it was to become a dead letter";
        };
    }
}
