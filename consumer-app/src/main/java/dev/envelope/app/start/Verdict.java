package dev.envelope.app.start;

import java.util.List;

/**
 * What came of one look at a server.
 *
 * <p>Threads: immutable.
 */
public sealed interface Verdict {

    /** It serves. */
    record Ready() implements Verdict {}

    /** It can't be used now, which may pass. */
    record Waiting(String why) implements Verdict {}

    /**
     * Somebody has to change something.
     *
     * @param sentences what is wrong and what mends it, a line each
     */
    record Refused(List<String> sentences) implements Verdict {

        public Refused {
            sentences = List.copyOf(sentences);
        }
    }

    /** A refusal for these reasons, if there are any. */
    static Verdict refusing(List<String> sentences) {
        return sentences.isEmpty() ? new Ready() : new Refused(sentences);
    }
}
