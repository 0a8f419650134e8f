package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.command.Command;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.command.Outcome;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Answers commands. It never says that a command was applied if it was not.
 *
 * <p>Threads: thread-safe (immutable).
 */
final class CommandsApi {

    /** The header with a command's id, of requests and answers. */
    static final String ID = "Idempotency-Key";

    /** What commands are counted under. */
    static final List<String> RESULTS =
            List.of(
                    "accepted",
                    "applied",
                    "duplicate",
                    "parked",
                    "put-out",
                    "time-over",
                    "other-partition",
                    "busy",
                    "unknown",
                    "refused");

    private static final int LONGEST_ID = 255;
    private static final String AGAIN = "; ask again with the same " + ID;

    private final Entities entities;
    private final ValueCheck values;
    private final List<Header> headers;
    private final Waits waits;
    private final BiFunction<String, TopicPartition, List<String>> stuck;

    /**
     * @param headers of each command's record
     * @param stuck what is known here of a row's key and a partition whose messages don't get on
     */
    CommandsApi(
            Entities entities,
            ValueCheck values,
            List<Header> headers,
            Waits waits,
            BiFunction<String, TopicPartition, List<String>> stuck) {
        this.entities = entities;
        this.values = values;
        this.headers = List.copyOf(headers);
        this.waits = waits;
        this.stuck = stuck;
    }

    /** A command, as far as its headers and address tell. */
    record Asked(EntityKey key, String id, Duration time) {}

    /** Checks all of a request but its body. */
    Asked asked(Call call, EntityKey key) {
        String id = id(call.all(ID));
        if (!RowKeys.canBeIndexed(key.row(), id)) {
            throw Refused.badRequest(
                    "the key and the "
                            + ID
                            + " are too long to be stored together: shorten the "
                            + ID);
        }
        return new Asked(key, id, waits.of(call, Duration.ZERO));
    }

    private static String id(List<String> sent) {
        if (sent.isEmpty()) {
            return UUID.randomUUID().toString();
        }
        String id = sent.get(0);
        boolean isFine =
                sent.size() == 1
                        && !id.isEmpty()
                        && id.length() <= LONGEST_ID
                        && id.chars().allMatch(it -> it >= ' ' && it <= '~');
        if (!isFine) {
            throw Refused.badRequest(
                    ID + " is one header of 1 to " + LONGEST_ID + " printable ASCII characters");
        }
        return id;
    }

    /** Puts it into the log, and waits for what becomes of it if the caller wants that. */
    CompletableFuture<Outcome> send(Asked asked, byte[] value) {
        values.check(value);
        return entities.send(
                new Command(asked.key.row(), asked.key.record(), value, asked.id, headers),
                asked.time);
    }

    /** What its caller is told. */
    Told told(Asked asked, Outcome outcome) {
        return outcome.match(new Telling(asked));
    }

    /**
     * An answer.
     *
     * @param result of {@link #RESULTS}
     * @param isSettled whether it says what became of the command
     */
    record Told(String result, boolean isSettled, Answer answer) {}

    /** The answer in each case. */
    private final class Telling implements Outcome.Cases<Told> {

        private final Asked asked;

        Telling(Asked asked) {
            this.asked = asked;
        }

        private Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("command", asked.id);
            return document;
        }

        private Map<String, Object> at(LogPosition position) {
            Map<String, Object> document = document();
            putAt(document, position.topic(), position.partition(), position.offset());
            return document;
        }

        private Told problem(String result, int status, String detail, Map<String, ?> more) {
            return new Told(result, false, Answer.problem(status, detail, more));
        }

        @Override
        public Told accepted(Outcome.Accepted it) {
            return new Told("accepted", false, Answer.json(202, at(it.at())));
        }

        @Override
        public Told settled(Outcome.Settled it) {
            ReplyStore.Answer answer = it.answer();
            Result result = answer.result();
            boolean isDuplicate = it.isRepeated() || result == Result.DUPLICATE;
            String name = result.text().replace(' ', '-');
            Map<String, Object> document = document();
            document.put("result", name);
            if (result == Result.APPLIED || result == Result.DUPLICATE) {
                putValue(document, answer);
                document.put("version", answer.version());
            } else {
                document.put("reason", answer.reason());
            }
            putAt(document, answer.topic(), answer.partition(), answer.offset());
            document.put("settledAt", answer.madeAt());
            document.put("duplicate", isDuplicate);
            return new Told(name, true, answer(result, document));
        }

        private Answer answer(Result result, Map<String, Object> document) {
            return switch (result) {
                case APPLIED, DUPLICATE -> Answer.json(200, document);
                case PARKED ->
                        Answer.problem(
                                409,
                                "the command was set aside; an operator decides, or has decided",
                                document);
                case PUT_OUT ->
                        Answer.problem(409, "the command failed, and was put out", document);
            };
        }

        @Override
        public Told timeOver(Outcome.TimeOver it) {
            TopicPartition partition = new TopicPartition(it.at().topic(), it.at().partition());
            List<String> findings = stuck.apply(asked.key.row(), partition);
            Map<String, Object> document = at(it.at());
            document.put("findings", findings);
            String detail = "the command is in the log, and was not handled in time" + AGAIN;
            return problem("time-over", 504, detail, document);
        }

        @Override
        public Told otherPartition(Outcome.OtherPartition it) {
            Map<String, Object> document = document();
            document.put("topic", it.topic());
            document.put("partition", it.there());
            document.put("gatewayPartition", it.here());
            String detail =
                    "the key's messages are in partition %d of %s, and gateway.partitioner gives %d"
                            .formatted(it.there(), it.topic(), it.here());
            return problem("other-partition", 409, detail, document);
        }

        @Override
        public Told busy(Outcome.Busy it) {
            Map<String, Object> document = document();
            if (it.place().isEmpty()) {
                return problem("busy", 503, it.reason().words(), document);
            }
            document.put("place", it.place());
            return problem("busy", 503, it.reason().words(it.place()), document);
        }

        @Override
        public Told unknown(Outcome.Unknown it) {
            String detail = "the command may be in the log or not: " + it.reason().words() + AGAIN;
            return problem("unknown", 503, detail, document());
        }

        @Override
        public Told refused(Outcome.Refused it) {
            return problem("refused", 400, it.why(), document());
        }
    }

    private static void putValue(Map<String, Object> document, ReplyStore.Answer answer) {
        byte @Nullable [] value = answer.value();
        if (answer.isState()) {
            document.put("state", value == null ? null : Documents.json(value));
        } else if (value == null) {
            document.put("reply", null);
        } else if (Documents.isJson(value)) {
            document.put("reply", Documents.json(value));
        } else {
            document.put("replyBase64", Base64.getEncoder().encodeToString(value));
        }
    }

    private static void putAt(
            Map<String, Object> document, @Nullable String topic, int partition, long offset) {
        document.put("topic", topic);
        document.put("partition", partition);
        document.put("offset", offset);
    }

    /** Headers of records by which the application knows their event id, besides the id itself. */
    static Header header(String name, String value) {
        return new org.apache.kafka.common.header.internals.RecordHeader(
                name, value.getBytes(UTF_8));
    }
}
