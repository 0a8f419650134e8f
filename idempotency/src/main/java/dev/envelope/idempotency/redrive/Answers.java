package dev.envelope.idempotency.redrive;

import java.util.regex.Pattern;

/** What the answers to requests mean, for callers such as scripts. */
public final class Answers {

    private static final Pattern NOT_ALL_OF_IT =
            Pattern.compile("failed again|look again|^refused|^not done|^given up|can't be stored");

    private Answers() {}

    /** Whether the request was carried out completely, or there was nothing to do. */
    public static boolean isDone(String answer) {
        return !NOT_ALL_OF_IT.matcher(answer).find();
    }
}
