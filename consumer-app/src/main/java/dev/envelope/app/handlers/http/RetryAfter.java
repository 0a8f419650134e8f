package dev.envelope.app.handlers.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The header {@code Retry-After}: seconds, or a date. */
final class RetryAfter {

    /** A server's clock, or its configuration, may be wrong. */
    private static final Duration MOST = Duration.ofHours(1);

    private RetryAfter() {}

    /** How long to wait, an hour at most; empty if the text says nothing. */
    static Optional<Duration> of(String text, Instant now) {
        return parsed(text.strip(), now)
                .filter(it -> !it.isNegative())
                .map(it -> it.compareTo(MOST) > 0 ? MOST : it);
    }

    private static Optional<Duration> parsed(String text, Instant now) {
        if (text.matches("\\d{1,9}")) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        try {
            Instant date =
                    ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return Optional.of(Duration.between(now, date));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
