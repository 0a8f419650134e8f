package dev.envelope.app.ops;

import java.time.Duration;

/** Formats a duration for people. */
public final class Said {

    private Said() {}

    public static String of(Duration time) {
        if (time.compareTo(Duration.ofSeconds(10)) < 0) {
            return "%.1f s".formatted(time.toMillis() / 1000.0);
        } else if (time.compareTo(Duration.ofMinutes(2)) < 0) {
            return time.toSeconds() + " s";
        } else if (time.compareTo(Duration.ofHours(2)) < 0) {
            return time.toMinutes() + " min";
        }
        return time.toHours() + " h";
    }
}
