package dev.envelope.core.background;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Says once that something does not work, and once that it works again, however often it is tried.
 *
 * <p>Threads: one thread.
 */
public final class Outage {

    private final Logger log;
    private final String what;
    private @Nullable String said;

    /** What fails, to be continued by a colon: "saving checkpoints". */
    public Outage(Logger log, String what) {
        this.log = log;
        this.what = what;
    }

    public void failed(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (!message.equals(said)) {
            said = message;
            log.warn("{}: {}; trying again", what, message);
        }
    }

    public void over() {
        if (said != null) {
            said = null;
            log.info("{}: works again", what);
        }
    }

    public boolean isOn() {
        return said != null;
    }
}
