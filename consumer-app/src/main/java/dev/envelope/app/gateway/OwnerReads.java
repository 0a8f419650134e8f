package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.gateway.peer.Peers;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Refused;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.directory.RowsInMemory;
import dev.envelope.idempotency.store.directory.DirectoryStore.Owner;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads from memory: from this process's, or from that of the process that owns the key's
 * partition. What nobody has in time is left to the database.
 *
 * <p>Threads: thread-safe (immutable; its parts are).
 */
final class OwnerReads {

    private static final JsonFactory JSON = new JsonFactory();

    private final Homes homes;
    private final Peers peers;
    private final long mostBytes;

    /** Where keys live; nothing blocks. */
    interface Homes {

        Optional<TopicPartition> of(EntityKey key);

        Optional<Owner> owner(TopicPartition partition);

        Optional<RowsInMemory.Found> find(
                EntityKey key, TopicPartition home, @Nullable LogPosition atLeast);
    }

    /**
     * @param mostBytes of documents in an answer to a query that come from this process's memory
     */
    OwnerReads(Homes homes, Peers peers, long mostBytes) {
        this.homes = homes;
        this.peers = peers;
        this.mostBytes = mostBytes;
    }

    /** Which process owns the key's partition. */
    Answer owner(EntityKey key) {
        TopicPartition home =
                homes.of(key)
                        .orElseThrow(
                                () -> new Refused(503, "the brokers do not answer, or not yet"));
        Owner owner =
                homes.owner(home)
                        .orElseThrow(
                                () ->
                                        Refused.notFound(
                                                "no process with a gateway has told that it owns "
                                                        + home));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key.text());
        document.put("topic", home.topic());
        document.put("partition", home.partition());
        document.put("instance", owner.instance());
        document.put("address", owner.claim().address());
        document.put("generation", owner.claim().generation());
        return Answer.json(document);
    }

    /**
     * The document of a key.
     *
     * @param asksOwner whether its owner is asked, if that is another process
     */
    CompletableFuture<Optional<byte[]>> one(
            EntityKey key, @Nullable LogPosition atLeast, boolean asksOwner) {
        Optional<byte[]> here = here(key, atLeast);
        Optional<String> other = asksOwner && here.isEmpty() ? other(key) : Optional.empty();
        if (other.isEmpty()) {
            return CompletableFuture.completedFuture(here);
        }
        String path = "/v1/entities/" + URLEncoder.encode(key.text(), UTF_8).replace("+", "%20");
        String at =
                atLeast == null
                        ? ""
                        : "&at-least=%s-%d-%d"
                                .formatted(atLeast.topic(), atLeast.partition(), atLeast.offset());
        return peers.ask(other.get(), path + "?from=memory" + at, null);
    }

    private Optional<byte[]> here(EntityKey key, @Nullable LogPosition atLeast) {
        return homes.of(key)
                .flatMap(home -> homes.find(key, home, atLeast))
                .map(found -> Answer.written(ReadsApi.document(key, found)));
    }

    /** The address of the owner, if it is another process. */
    private Optional<String> other(EntityKey key) {
        return homes.of(key)
                .flatMap(homes::owner)
                .filter(owner -> !owner.isOurs())
                .map(owner -> owner.claim().address());
    }

    /**
     * The documents of those keys that are in somebody's memory, as far as there is room for them:
     * all owners are asked at once.
     */
    CompletableFuture<Map<EntityKey, byte[]>> all(List<EntityKey> keys, boolean asksOwners) {
        Map<EntityKey, byte[]> found = new HashMap<>();
        Map<String, List<EntityKey>> elsewhere = new HashMap<>();
        long bytes = 0;
        for (EntityKey key : keys) {
            Optional<byte[]> here = bytes < mostBytes ? here(key, null) : Optional.empty();
            if (here.isPresent()) {
                bytes += here.get().length;
                found.put(key, here.get());
            } else if (asksOwners) {
                other(key)
                        .ifPresent(
                                it ->
                                        elsewhere
                                                .computeIfAbsent(it, any -> new ArrayList<>())
                                                .add(key));
            }
        }
        CompletableFuture<Map<EntityKey, byte[]>> all = CompletableFuture.completedFuture(found);
        for (Map.Entry<String, List<EntityKey>> asked : elsewhere.entrySet()) {
            all = all.thenCombine(ask(asked.getKey(), asked.getValue()), OwnerReads::with);
        }
        return all;
    }

    private static Map<EntityKey, byte[]> with(
            Map<EntityKey, byte[]> found, Map<EntityKey, byte[]> more) {
        found.putAll(more);
        return found;
    }

    private CompletableFuture<Map<EntityKey, byte[]>> ask(String address, List<EntityKey> keys) {
        byte[] body = Answer.written(Map.of("keys", keys.stream().map(EntityKey::text).toList()));
        return peers.ask(address, "/v1/entities/query?from=memory", body)
                .thenApply(answer -> answer.map(it -> documents(keys, it)).orElse(Map.of()));
    }

    /** Takes an answer apart: one document for each key, in their order, or null. */
    private static Map<EntityKey, byte[]> documents(List<EntityKey> keys, byte[] answer) {
        Map<EntityKey, byte[]> documents = new HashMap<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), answer)) {
            while (parser.nextToken() != JsonToken.START_ARRAY) {
                if (parser.currentToken() == null) {
                    return Map.of();
                }
            }
            for (EntityKey key : keys) {
                if (parser.nextToken() == JsonToken.START_OBJECT) {
                    int from = (int) parser.currentTokenLocation().getByteOffset();
                    parser.skipChildren();
                    int to = (int) parser.currentLocation().getByteOffset();
                    documents.put(key, Arrays.copyOfRange(answer, from, to));
                }
            }
            return documents;
        } catch (JacksonException e) { // another program is at that address
            return Map.of();
        }
    }
}
