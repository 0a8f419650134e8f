package dev.envelope.app.ops.api;

import dev.envelope.app.config.value.BadValueException;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind the question mark of a request; a caller is told what is wrong with it.
 *
 * <p>Threads: stateless.
 */
final class Parameters {

    private Parameters() {}

    static String required(Context context, String name) {
        @Nullable String value = context.queryParam(name);
        if (value == null) {
            throw new BadRequestResponse("wants ?" + name + "=");
        }
        return value;
    }

    static int number(Context context, String name, int otherwise, int least, int most) {
        @Nullable String text = context.queryParam(name);
        if (text == null) {
            return otherwise;
        }
        long value = number(name, text);
        if (value < least || value > most) {
            throw new BadRequestResponse("%s is from %d to %d".formatted(name, least, most));
        }
        return (int) value;
    }

    /** Of a parked message; 0 if it is not said. */
    static long position(Context context, String name) {
        @Nullable String text = context.queryParam(name);
        return text == null ? 0 : number(name, text);
    }

    /** For how long something is to be paused. */
    static Optional<Duration> time(Context context, String name) {
        @Nullable String text = context.queryParam(name);
        try {
            return text == null ? Optional.empty() : Optional.of(PauseDocument.TIME.parse(text));
        } catch (BadValueException e) {
            throw new BadRequestResponse(name + " " + e.reason());
        }
    }

    /** As in 2026-11-23T03:00:00Z; null if it is not said. */
    static @Nullable Instant instant(Context context, String name) {
        @Nullable String text = context.queryParam(name);
        try {
            return text == null || text.isEmpty() ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new BadRequestResponse(name + " is a time as in 2026-11-23T03:00:00Z");
        }
    }

    /** With commas between them. */
    static List<Long> positions(String name, String text) {
        return Stream.of(text.split(",")).map(it -> number(name, it)).toList();
    }

    static long number(String name, String text) {
        if (!text.matches("\\d{1,18}")) {
            throw new BadRequestResponse(name + " is not a number");
        }
        return Long.parseLong(text);
    }
}
