package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;

/**
 * What a key is doing at the moment, for people.
 *
 * @param sinceNanos when it began that, by the engine's clock
 * @param messages how many of its messages are held up with it, as far as that is known
 * @param failedAttempts of the first of them
 * @param trouble what went wrong last, in words; empty if nothing did
 */
public record Standing(
        Doing doing, long sinceNanos, int messages, int failedAttempts, String trouble) {

    /** The same key a step further: what went wrong before is still worth telling. */
    Standing at(Doing next, long since) {
        return new Standing(next, since, messages, failedAttempts, trouble);
    }
}
