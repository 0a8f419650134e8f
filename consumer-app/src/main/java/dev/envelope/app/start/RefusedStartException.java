package dev.envelope.app.start;

import java.util.List;

/** Says that a server is there but the process must not start with it: somebody has to act. */
public final class RefusedStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> sentences;

    /**
     * @param sentences what is wrong and what mends it, a line each
     */
    public RefusedStartException(List<String> sentences) {
        super(String.join("; ", sentences));
        this.sentences = List.copyOf(sentences);
    }

    /** What is wrong and what mends it, a line each. */
    public List<String> sentences() {
        return sentences;
    }
}
