package dev.envelope.app.gateway;

import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.command.Entity;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.EntityReads.TooLargeException;
import dev.envelope.idempotency.command.LogPosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers reads.
 *
 * <p>Threads: thread-safe (immutable).
 */
final class ReadsApi {

    /** What reads are counted under. */
    static final List<String> RESULTS =
            List.of("found", "missing", "time-over", "conflict", "refused", "unavailable");

    private static final String UNAVAILABLE =
            "the database does not answer, or too many reads are under way";

    private static final int MOST_KEYS = 1_000;

    /** A tree of JSON takes many times the memory of its text. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxTokenCount(2 * MOST_KEYS)
                                                    .maxNestingDepth(8)
                                                    .build())
                                    .build())
                    .build();

    private static final Duration USUAL_WAIT = Duration.ofSeconds(5);
    private static final Pattern POSITION =
            Pattern.compile("([A-Za-z0-9._-]{1,249})-(\\d{1,9})-(\\d{1,18})");

    private final Entities entities;
    private final EntityKeys keys;
    private final Waits waits;

    ReadsApi(Entities entities, EntityKeys keys, Waits waits) {
        this.entities = entities;
        this.keys = keys;
        this.waits = waits;
    }

    /** An answer, and what it is counted under. */
    record Told(String result, Answer answer) {}

    /** The row of a key, once an offset is applied if the caller wants that. */
    CompletableFuture<Told> one(Call call, EntityKey key) {
        String atLeast = call.findText("at-least");
        if (atLeast == null) {
            return entities.read(List.of(key.row()))
                    .thenApply(rows -> found(key, rows.get(key.row())));
        }
        Duration wait = waits.of(call, USUAL_WAIT);
        return entities.read(key.row(), position(atLeast), wait)
                .thenApply(read -> told(key, atLeast, wait, read));
    }

    private static LogPosition position(String text) {
        Matcher matcher = POSITION.matcher(text);
        if (!matcher.matches()) {
            throw Refused.badRequest("at-least is topic-partition-offset, as in payments-3-4711");
        }
        return new LogPosition(
                matcher.group(1),
                Integer.parseInt(matcher.group(2)),
                Long.parseLong(matcher.group(3)));
    }

    private static Told told(EntityKey key, String atLeast, Duration wait, Read read) {
        if (read instanceof Read.Found it) {
            return found(key, it.entity());
        } else if (read instanceof Read.UnknownPartition it) {
            return new Told("refused", Answer.problem(400, it.why()));
        } else if (read instanceof Read.Recreated it) {
            return new Told("conflict", Answer.problem(409, it.why()));
        }
        String detail = "%s was not applied within %d ms".formatted(atLeast, wait.toMillis());
        return new Told("time-over", Answer.problem(504, detail));
    }

    private static Told found(EntityKey key, @Nullable Entity entity) {
        if (entity == null || entity.state() == null) {
            String why = entity == null ? "the key has no row" : "the key has no state";
            return new Told("missing", Answer.problem(404, why));
        }
        return new Told("found", Answer.json(document(key, entity)));
    }

    /** The rows of some keys, as of the same moment. */
    CompletableFuture<Told> query(byte[] body) {
        List<EntityKey> asked = asked(body);
        return entities.read(asked.stream().map(EntityKey::row).distinct().toList())
                .thenApply(rows -> new Told("found", Answer.json(all(asked, rows))));
    }

    private List<EntityKey> asked(byte[] body) {
        JsonNode list = parsed(body).path("keys");
        if (!list.isArray() || list.isEmpty() || list.size() > MOST_KEYS) {
            throw Refused.badRequest(
                    "wants {\"keys\":[...]} with 1 to %d keys".formatted(MOST_KEYS));
        }
        List<EntityKey> asked = new ArrayList<>();
        for (JsonNode key : list) {
            if (!key.isString()) {
                throw Refused.badRequest("keys are strings");
            }
            asked.add(keys.of(key.stringValue()));
        }
        return asked;
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (JacksonException e) {
            throw Refused.badRequest("the body is no JSON, or has too much in it");
        }
    }

    private static Map<String, Object> all(List<EntityKey> asked, Map<String, Entity> rows) {
        List<Map<String, Object>> entities = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (EntityKey key : asked) {
            Entity entity = rows.get(key.row());
            if (entity == null || entity.state() == null) {
                missing.add(key.text());
            } else {
                entities.add(document(key, entity));
            }
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("entities", entities);
        document.put("missing", missing);
        return document;
    }

    private static Map<String, Object> document(EntityKey key, Entity entity) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key.text());
        byte[] state = entity.state();
        document.put("state", state == null ? null : Documents.json(state));
        document.put("version", entity.version());
        document.put("marks", marks(entity.nextOffsets()));
        document.put("updatedAt", entity.updatedAt());
        document.put("ageMillis", entity.age().toMillis());
        return document;
    }

    private static List<Map<String, Object>> marks(Map<TopicPartition, Long> nextOffsets) {
        List<Map<String, Object>> marks = new ArrayList<>();
        nextOffsets.forEach(
                (partition, next) -> {
                    Map<String, Object> mark = new LinkedHashMap<>();
                    mark.put("topic", partition.topic());
                    mark.put("partition", partition.partition());
                    mark.put("nextOffset", next);
                    marks.add(mark);
                });
        return marks;
    }

    /** What a caller is told if there was no answer. */
    static Told failed(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
        if (cause instanceof UnavailableException) { // its words may name servers of ours
            return new Told("unavailable", Answer.problem(503, UNAVAILABLE));
        } else if (cause instanceof TooLargeException) {
            return new Told("refused", Answer.problem(400, String.valueOf(cause.getMessage())));
        }
        throw new IllegalStateException("a read failed", cause);
    }
}
