package dev.envelope.app.start;

import java.util.List;

/**
 * The result of one check of a server.
 *
 * <p>Threads: immutable.
 */
public sealed interface Verdict {

    /** The server is ready. */
    record Ready() implements Verdict {}

    /** It can't be used now, which may pass. */
    record Waiting(String why) implements Verdict {}

    /**
     * Something has to be changed first.
     *
     * @param sentences what is wrong and its remedy, a line each
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
