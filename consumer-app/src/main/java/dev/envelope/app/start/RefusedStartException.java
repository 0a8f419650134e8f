package dev.envelope.app.start;

import java.util.List;

/** A start, or a command, is refused: something has to be changed first. */
public final class RefusedStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> sentences;

    /**
     * @param sentences what is wrong and its remedy, a line each
     */
    public RefusedStartException(List<String> sentences) {
        super(String.join("; ", sentences));
        this.sentences = List.copyOf(sentences);
    }

    /** What is wrong and its remedy, a line each. */
    public List<String> sentences() {
        return sentences;
    }
}
