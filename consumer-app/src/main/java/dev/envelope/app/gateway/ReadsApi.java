package dev.envelope.app.gateway;

import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.command.Entity;
import dev.envelope.idempotency.command.EntityReads.AwayException;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.EntityReads.Rows;
import dev.envelope.idempotency.command.EntityReads.TooLargeException;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.command.Outcome;
import dev.envelope.idempotency.directory.RowsInMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    static final String UNAVAILABLE = "unavailable";

    /** What reads are counted under. */
    static final List<String> RESULTS =
            List.of(
                    "found",
                    "missing",
                    "memory",
                    "elsewhere",
                    "time-over",
                    "conflict",
                    "refused",
                    UNAVAILABLE);

    private static final String NOT_NOW =
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
    private final OwnerReads owners;
    private final From usual;

    /** Where rows are read. */
    enum From {
        DATABASE,

        /** The memory of the process that owns the key, and the database if that has none. */
        OWNER,

        /** The memory of the process that is asked. */
        MEMORY
    }

    /**
     * @param usual where rows are read if a caller does not say
     */
    ReadsApi(Entities entities, EntityKeys keys, Waits waits, OwnerReads owners, From usual) {
        this.entities = entities;
        this.keys = keys;
        this.waits = waits;
        this.owners = owners;
        this.usual = usual;
    }

    /** An answer, and what it is counted under. */
    record Told(String result, Answer answer) {}

    private static final Told ELSEWHERE =
            new Told("elsewhere", Answer.problem(404, "this process has no such row in memory"));

    /** Which process owns a key. */
    Answer owner(EntityKey key) {
        return owners.owner(key);
    }

    /** The row of a key, once an offset is applied if the caller wants that. */
    CompletableFuture<Told> one(Call call, EntityKey key, CompletableFuture<?> over) {
        String text = call.findText("at-least");
        LogPosition atLeast = text == null ? null : position(text);
        Duration wait = waits.of(call, USUAL_WAIT);
        From from = from(call);
        if (from == From.DATABASE) {
            return inDatabase(key, atLeast, wait, over);
        }
        return owners.one(key, atLeast, from == From.OWNER)
                .thenCompose(
                        document -> {
                            if (document.isPresent()) {
                                return CompletableFuture.completedFuture(inMemory(document.get()));
                            }
                            return from == From.OWNER
                                    ? inDatabase(key, atLeast, wait, over)
                                    : CompletableFuture.completedFuture(ELSEWHERE);
                        });
    }

    private From from(Call call) {
        String text = call.findText("from");
        return text == null
                ? usual
                : Stream.of(From.values())
                        .filter(it -> it.name().toLowerCase(Locale.ROOT).equals(text))
                        .findFirst()
                        .orElseThrow(() -> Refused.badRequest("from is database, owner or memory"));
    }

    private static Told inMemory(byte[] document) {
        return new Told("memory", Answer.of(200, "application/json", document));
    }

    private CompletableFuture<Told> inDatabase(
            EntityKey key,
            @Nullable LogPosition atLeast,
            Duration wait,
            CompletableFuture<?> over) {
        return atLeast == null
                ? entities.read(List.of(key.row()), over)
                        .thenApply(rows -> found(key, rows.entities().get(key.row())))
                : entities.read(key.row(), atLeast, wait, over)
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

    private static Told told(EntityKey key, LogPosition atLeast, Duration wait, Read read) {
        if (read instanceof Read.Found it) {
            return found(key, it.entity());
        } else if (read instanceof Read.UnknownPartition it) {
            return new Told("refused", Answer.problem(400, it.why()));
        } else if (read instanceof Read.Recreated it) {
            return new Told("conflict", Answer.problem(409, it.why()));
        }
        String detail =
                "%s-%d-%d was not applied within %d ms"
                        .formatted(
                                atLeast.topic(),
                                atLeast.partition(),
                                atLeast.offset(),
                                wait.toMillis());
        return new Told("time-over", Answer.problem(504, detail));
    }

    private static Told found(EntityKey key, @Nullable Entity entity) {
        if (entity == null || entity.state() == null) {
            String why = entity == null ? "the key has no row" : "the key has no state";
            return new Told("missing", Answer.problem(404, why));
        }
        return new Told("found", Answer.json(document(key, entity)));
    }

    /** The rows of some keys; from the database, those of one slot as of the same moment. */
    CompletableFuture<Told> query(Call call, byte[] body, CompletableFuture<?> over) {
        List<EntityKey> named = named(body);
        List<EntityKey> asked = distinct(named);
        From from = from(call);
        if (from == From.DATABASE) {
            return rows(asked, over).thenApply(rows -> told(asked, Map.of(), rows));
        }
        return owners.all(asked, from == From.OWNER)
                .thenCompose(
                        found ->
                                from == From.OWNER
                                        ? gathered(asked, found, over)
                                        : CompletableFuture.completedFuture(each(named, found)));
    }

    private CompletableFuture<Rows> rows(List<EntityKey> asked, CompletableFuture<?> over) {
        return entities.read(asked.stream().map(EntityKey::row).toList(), over);
    }

    /** For each key that was named its document, or null; so it is where it is named again. */
    private static Told each(List<EntityKey> named, Map<EntityKey, byte[]> found) {
        List<@Nullable Object> documents = new ArrayList<>();
        for (EntityKey key : named) {
            byte[] document = found.get(key);
            documents.add(document == null ? null : Documents.json(document));
        }
        return new Told("memory", Answer.json(Map.of("entities", documents)));
    }

    /** Reads the rest; if that fails, the answer is a part. */
    private CompletableFuture<Told> gathered(
            List<EntityKey> asked, Map<EntityKey, byte[]> found, CompletableFuture<?> over) {
        List<EntityKey> rest = asked.stream().filter(it -> !found.containsKey(it)).toList();
        if (rest.isEmpty()) {
            return CompletableFuture.completedFuture(
                    new Told("memory", Answer.json(all(asked, found, none(Set.of())))));
        }
        return rows(rest, over)
                .handle(
                        (rows, failure) -> {
                            if (failure == null) {
                                return told(asked, found, rows);
                            } else if (found.isEmpty()) {
                                throw new CompletionException(failure);
                            }
                            return told(
                                    asked,
                                    found,
                                    none(
                                            rest.stream()
                                                    .map(EntityKey::row)
                                                    .collect(Collectors.toSet())));
                        });
    }

    private static Rows none(Set<String> unanswered) {
        return new Rows(Map.of(), unanswered, Set.of(), true);
    }

    private static Told told(List<EntityKey> asked, Map<EntityKey, byte[]> inMemory, Rows rows) {
        return new Told(
                rows.unanswered().isEmpty() ? "found" : UNAVAILABLE,
                Answer.json(all(asked, inMemory, rows)));
    }

    /** Each row once, however often it is named: an answer is no larger than its rows. */
    private static List<EntityKey> distinct(List<EntityKey> named) {
        Map<String, EntityKey> distinct = new LinkedHashMap<>();
        named.forEach(key -> distinct.putIfAbsent(key.row(), key));
        return List.copyOf(distinct.values());
    }

    private List<EntityKey> named(byte[] body) {
        JsonNode list = parsed(body).path("keys");
        if (!list.isArray() || list.isEmpty() || list.size() > MOST_KEYS) {
            throw Refused.badRequest(
                    "wants {\"keys\":[...]} with 1 to %d keys".formatted(MOST_KEYS));
        }
        List<EntityKey> named = new ArrayList<>();
        for (JsonNode key : list) {
            if (!key.isString()) {
                throw Refused.badRequest("keys are strings");
            }
            named.add(keys.of(key.stringValue()));
        }
        return named;
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (JacksonException e) {
            throw Refused.badRequest("the body is no JSON, or has too much in it");
        }
    }

    private static Map<String, Object> all(
            List<EntityKey> asked, Map<EntityKey, byte[]> inMemory, Rows rows) {
        List<Object> entities = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        List<String> unanswered = new ArrayList<>();
        for (EntityKey key : asked) {
            byte[] document = inMemory.get(key);
            Entity entity = rows.entities().get(key.row());
            if (document != null) {
                entities.add(Documents.json(document));
            } else if (rows.unanswered().contains(key.row())) {
                unanswered.add(key.text());
            } else if (entity == null || entity.state() == null) {
                missing.add(key.text());
            } else {
                entities.add(document(key, entity));
            }
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("entities", entities);
        document.put("missing", missing);
        if (!inMemory.isEmpty() || !rows.isOneMoment()) {
            document.put("oneMoment", false);
        }
        if (!unanswered.isEmpty()) {
            document.put("unanswered", unanswered);
        }
        if (!rows.away().isEmpty() && !rows.away().contains("")) {
            document.put("away", rows.away());
        }
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

    /** The document of a row from memory; when it was changed last is not known there. */
    static Map<String, Object> document(EntityKey key, RowsInMemory.Found row) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key.text());
        document.put("state", Documents.json(row.state()));
        document.put("version", row.version());
        document.put("marks", marks(row.nextOffsets()));
        document.put("from", "memory");
        document.put("ageMillis", row.age().toMillis());
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
        if (cause instanceof AwayException its && !its.place().isEmpty()) {
            return new Told(
                    UNAVAILABLE,
                    Answer.problem(
                            503,
                            Outcome.Reason.DATABASE.words(its.place()),
                            Map.of("place", its.place())));
        } else if (cause instanceof UnavailableException) { // its words may name servers of ours
            return new Told(UNAVAILABLE, Answer.problem(503, NOT_NOW));
        } else if (cause instanceof TooLargeException) {
            return new Told("refused", Answer.problem(400, String.valueOf(cause.getMessage())));
        }
        throw new IllegalStateException("a read failed", cause);
    }
}
