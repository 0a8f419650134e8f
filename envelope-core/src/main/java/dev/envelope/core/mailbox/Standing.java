package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;

/**
 * What a key is doing at the moment, for status reports.
 *
 * @param sinceNanos when it began that, by the engine's clock
 * @param messages how many of its messages wait, as far as that is known
 * @param failedAttempts of the first of them
 * @param trouble what went wrong last, in words; empty if nothing did
 */
public record Standing(
        Doing doing, long sinceNanos, int messages, int failedAttempts, String trouble) {

    /** The same key a step further; keeps the trouble that it had before. */
    Standing at(Doing next, long since) {
        return new Standing(next, since, messages, failedAttempts, trouble);
    }
}
