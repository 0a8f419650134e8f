package dev.envelope.core.api;

/**
 * The database answered from another life than the one that the caller's positions were read in:
 * nothing was written, and every partition has to be positioned anew (I12).
 */
public final class OtherIncarnationException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    public OtherIncarnationException(Incarnation expected, Incarnation found) {
        super(
                "the database server was restarted or replaced: expected "
                        + expected.value()
                        + ", found "
                        + found.value());
    }
}
