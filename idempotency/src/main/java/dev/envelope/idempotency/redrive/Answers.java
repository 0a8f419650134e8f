package dev.envelope.idempotency.redrive;

import java.util.regex.Pattern;

/** What the answers to requests mean for whoever has to go on from there, a script for instance. */
public final class Answers {

    private static final Pattern NOT_ALL_OF_IT =
            Pattern.compile("failed again|look again|^refused|^not done|^given up|can't be stored");

    private Answers() {}

    /** Whether all that was asked for has been done, or there was nothing to do. */
    public static boolean isDone(String answer) {
        return !NOT_ALL_OF_IT.matcher(answer).find();
    }
}
