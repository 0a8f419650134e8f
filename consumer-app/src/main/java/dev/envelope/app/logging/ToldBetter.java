package dev.envelope.app.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.List;

/**
 * Lines of the Kafka client that looks at the cluster before a start, of which the start says in
 * its own words what is wrong and which setting mends it. All other lines, and all other clients'
 * are written: which server could not be connected to is told nowhere else.
 */
public final class ToldBetter {

    /** What the id of such a client begins with. */
    public static final String CLIENT_ID = "envelope-start-";

    private static final String CLIENT = "[AdminClient clientId=" + CLIENT_ID;

    private static final List<String> TOLD =
            List.of(
                    "terminated during authentication",
                    "failed authentication due to",
                    "Fatal error during metadata update");

    private ToldBetter() {}

    static boolean is(ILoggingEvent event) {
        String message = event.getMessage();
        return message.startsWith(CLIENT) && TOLD.stream().anyMatch(message::contains);
    }
}
