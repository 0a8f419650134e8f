package dev.envelope.core.api;

/**
 * The database is in another incarnation than the one in which the caller's positions were read:
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
