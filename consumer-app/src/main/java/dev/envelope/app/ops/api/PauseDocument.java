package dev.envelope.app.ops.api;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.ValueType;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Pause;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The document of operators' pauses. */
public final class PauseDocument {

    /** The type of a pause's duration, such as {@code 2h}. */
    public static final ValueType<Duration> TIME = Quantities.duration("1s", "365d");

    /** Why a resume had no effect. */
    public static final String NOT_PAUSED =
            "it is not paused by its name: envelope paused, GET /api/pauses";

    private PauseDocument() {}

    /** The result of a pause, in words. */
    public static String inWords(Answer answer) {
        return switch (answer) {
            case PAUSED -> "it is paused";
            case NO_SUCH_PARTITION ->
                    "the application reads no such partition (topic and number: payments-3)";
            case TOO_MANY ->
                    "%,d keys and partitions are paused, and there may be no more: envelope paused"
                            .formatted(PauseCatalog.MOST);
        };
    }

    /** All pauses. */
    public static Map<String, Object> of(Pauses pauses) {
        return Map.of("pauses", pauses.all().stream().map(Shown::of).toList());
    }

    private record Shown(
            String kind, String name, String by, Instant since, @Nullable Instant until) {

        static Shown of(Pause pause) {
            String kind = pause.kind().name().toLowerCase(Locale.ROOT);
            return new Shown(kind, pause.name(), pause.by(), pause.since(), pause.until());
        }
    }
}
