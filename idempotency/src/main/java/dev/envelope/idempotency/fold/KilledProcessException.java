package dev.envelope.idempotency.fold;

/** A message is not folded any more, for processes have died while it was. */
public final class KilledProcessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * @param times in a row
     */
    public KilledProcessException(int times) {
        super(
                "the process has died "
                        + times
                        + " times in a row while it was being folded; it is not tried again");
    }
}
