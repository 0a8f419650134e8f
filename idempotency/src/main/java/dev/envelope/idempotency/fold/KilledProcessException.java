package dev.envelope.idempotency.fold;

/** A message is not folded any more because processes have died while it was being folded. */
public final class KilledProcessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * @param times in a row
     * @param source the number of the message's source
     */
    public KilledProcessException(int times, int source, long offset) {
        super(
                "the process has died "
                        + times
                        + " times in a row while it was folded; once that is mended: DELETE FROM"
                        + " crash WHERE source = "
                        + source
                        + " AND record_offset = "
                        + offset);
    }
}
