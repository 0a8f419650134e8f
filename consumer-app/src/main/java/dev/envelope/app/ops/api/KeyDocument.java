package dev.envelope.app.ops.api;

import dev.envelope.core.mailbox.Standing;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The document of a key: its row, its requests, and what it is doing now. */
final class KeyDocument {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private KeyDocument() {}

    static Map<String, Object> of(
            String key,
            Optional<KeyCatalog.Row> row,
            List<KeyCatalog.Timer> timers,
            List<KeyCatalog.Asked> asked,
            Optional<Standing> standing,
            Duration forSoLong,
            boolean isPaused) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key);
        document.put("row", row.map(KeyDocument::row).orElse(null));
        document.put("now", standing.map(it -> StuckDocument.standing(it, forSoLong)).orElse(null));
        document.put("paused", isPaused);
        document.put("timers", timers);
        document.put("asked", asked);
        return document;
    }

    private static Map<String, Object> row(KeyCatalog.Row row) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("deleted", row.state() == null);
        document.put("state", state(row));
        document.put("stateBytes", row.stateBytes());
        document.put("version", row.version());
        document.put("updatedAt", row.updatedAt());
        document.put("marks", row.marks().stream().map(KeyDocument::mark).toList());
        document.put("eventIdBytes", row.idBytes());
        document.put("parked", row.parked());
        return document;
    }

    /** The state as JSON; as text if it was cut because of its length. */
    private static @Nullable Object state(KeyCatalog.Row row) {
        if (row.state() == null || !row.isWhole()) {
            return row.state();
        }
        try {
            return MAPPER.readTree(row.state());
        } catch (JacksonException e) {
            return row.state();
        }
    }

    private static Map<String, Object> mark(KeyCatalog.Mark mark) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("topic", mark.topic());
        document.put("partition", mark.partition());
        document.put("generation", mark.generation());
        document.put("nextOffset", mark.next());
        document.put("leaderEpoch", mark.leaderEpoch());
        return document;
    }
}
