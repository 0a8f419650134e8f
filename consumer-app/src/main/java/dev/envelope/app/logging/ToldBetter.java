package dev.envelope.app.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.List;

/**
 * Recognizes lines of the Kafka client that checks the cluster before a start, where our own
 * message says what is wrong and which setting mends it. All other lines are written, also those of
 * other clients: only they name the server that can't be reached.
 */
public final class ToldBetter {

    /** The prefix of that client's id. */
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
