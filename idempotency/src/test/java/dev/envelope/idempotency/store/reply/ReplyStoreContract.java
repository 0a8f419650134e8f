package dev.envelope.idempotency.store.reply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store of answers owes the callers that wait for them. */
public abstract class ReplyStoreContract {

    private static final Duration DAY = Duration.ofDays(1);
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    private Bench bench;
    private ReplyStore replies;

    /** A store without an answer, and who saves answers in it. */
    protected interface Bench extends AutoCloseable {

        ReplyStore replies();

        /** A save leaves an answer, of the partition 3 of orders unless the topic is null. */
        void save(CommandId command, Answer answer);

        @Override
        void close();
    }

    protected abstract Bench open();

    @BeforeEach
    void openStore() {
        bench = open();
        replies = bench.replies();
    }

    @AfterEach
    void closeStore() {
        bench.close();
    }

    private static Answer applied(String value, Instant at) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return new Answer(Result.APPLIED, null, bytes, false, 7, "orders", 3, 41, at);
    }

    @Test
    void findsTheAnswersThatThereAreAndNoOthers() {
        bench.save(new CommandId("k", "a"), applied("one", now));
        bench.save(new CommandId("k", "b"), applied("two", now));
        bench.save(new CommandId("other", "a"), applied("three", now));

        Map<CommandId, Answer> found =
                replies.find(
                        List.of(
                                new CommandId("k", "a"),
                                new CommandId("other", "b"),
                                new CommandId("other", "a")));

        assertThat(found).containsOnlyKeys(new CommandId("k", "a"), new CommandId("other", "a"));
        Answer three = Objects.requireNonNull(found.get(new CommandId("other", "a")));
        assertThat(three.value()).asString(StandardCharsets.UTF_8).isEqualTo("three");
    }

    @Test
    void anAnswerIsReadAsItWasSaved() {
        CommandId parked = new CommandId("k", "parked");
        CommandId state = new CommandId("k", "state");
        Answer why =
                new Answer(Result.PARKED, "handler: no stock", null, false, 2, "orders", 3, 9, now);
        bench.save(parked, why);
        bench.save(state, new Answer(Result.DUPLICATE, null, null, true, 5, null, -1, 12, now));

        Map<CommandId, Answer> found = replies.find(List.of(parked, state));

        assertThat(found.get(parked)).isEqualTo(why);
        assertThat(found.get(state))
                .isEqualTo(new Answer(Result.DUPLICATE, null, null, true, 5, null, -1, 12, now));
    }

    @Test
    void nothingIsFoundWhereNothingIsAskedFor() {
        bench.save(new CommandId("k", "a"), applied("one", now));

        assertThat(replies.find(List.of())).isEmpty();
    }

    @Test
    void theOldestAreForgottenAndTheYoungStay() {
        for (int hours = 20; hours < 30; hours++) {
            bench.save(
                    new CommandId("k", "" + hours),
                    applied("old", now.minus(Duration.ofHours(hours))));
        }

        assertThat(replies.forget(DAY.plusMinutes(30), 2)).isEqualTo(2);
        assertThat(left()).containsExactly(20, 21, 22, 23, 24, 25, 26, 27);

        assertThat(replies.forget(DAY.plusMinutes(30), 100)).isEqualTo(3);
        assertThat(left()).containsExactly(20, 21, 22, 23, 24);
    }

    private List<Integer> left() {
        List<CommandId> all =
                IntStream.range(20, 30).mapToObj(hours -> new CommandId("k", "" + hours)).toList();
        return replies.find(all).keySet().stream()
                .map(it -> Integer.valueOf(it.command()))
                .sorted()
                .toList();
    }
}
