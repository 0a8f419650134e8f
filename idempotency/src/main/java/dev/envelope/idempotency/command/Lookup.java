package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.RowReads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the database says of commands: their answers, and which partitions their rows have messages
 * of.
 *
 * <p>Threads: one thread; may block; throws {@link UnavailableException}.
 */
final class Lookup {

    private final ReplyStore replies;
    private final RowReads rows;
    private final Sources sources;
    private final TopicsNow topics;
    private final String topic;
    private final Partitioner partitioner;

    Lookup(
            ReplyStore replies,
            RowReads rows,
            Sources sources,
            TopicsNow topics,
            String topic,
            Partitioner partitioner) {
        this.replies = replies;
        this.rows = rows;
        this.sources = sources;
        this.topics = topics;
        this.topic = topic;
        this.partitioner = partitioner;
    }

    /**
     * The partition of a command.
     *
     * @param here that our partitioner gives
     * @param there that the row has messages of, if none of them are from here; otherwise the same
     */
    record Place(int here, int there) {

        boolean isOther() {
            return here != there;
        }
    }

    /**
     * What was found.
     *
     * @param places where the new commands without an answer belong; those are missing that have to
     *     be looked for again
     * @param trouble why none of them can be put anywhere; empty if they can
     */
    record Found(Map<CommandId, Answer> answers, Map<CommandId, Place> places, String trouble) {}

    /**
     * Looks.
     *
     * @param fresh commands that are not in the log yet
     * @param waiting commands that are
     */
    Found look(List<Command> fresh, Collection<CommandId> waiting) {
        Set<CommandId> all = new HashSet<>(waiting);
        fresh.forEach(command -> all.add(id(command)));
        Map<CommandId, Answer> answers = replies.find(all);
        long bytes = 0;
        for (Answer answer : answers.values()) {
            byte[] value = answer.value();
            bytes += value == null ? 0 : value.length;
        }
        boolean isEach = bytes < ReplyStore.MOST_BYTES;
        List<Command> unanswered = new ArrayList<>();
        for (Command command : fresh) {
            if (isEach && !answers.containsKey(id(command))) {
                unanswered.add(command);
            }
        }
        Topic now = topics.find(topic);
        if (unanswered.isEmpty()) {
            return new Found(answers, Map.of(), "");
        } else if (now == null) {
            return new Found(answers, Map.of(), "the topic " + topic + " was not found");
        }
        return new Found(answers, places(unanswered, now), "");
    }

    static CommandId id(Command command) {
        return new CommandId(command.key(), command.id());
    }

    private Map<CommandId, Place> places(List<Command> commands, Topic now) {
        Map<String, Marks> marks = rows.marks(commands.stream().map(Command::key).toList());
        sources.learn(marks.values());
        Map<CommandId, Place> places = new HashMap<>();
        for (Command command : commands) {
            Marks its = marks.get(command.key());
            places.put(id(command), place(command.recordKey(), its, now));
        }
        return places;
    }

    private Place place(byte[] recordKey, @Nullable Marks marks, Topic now) {
        int here = partitioner.partition(recordKey, now.partitions());
        if (marks == null) {
            return new Place(here, here);
        }
        List<Source> of = new ArrayList<>();
        marks.forEach(
                (number, next) ->
                        sources.find(number).filter(it -> isOf(it, now)).ifPresent(of::add));
        boolean fits =
                of.isEmpty()
                        || of.stream().anyMatch(it -> it.partition().partition() == here)
                        || of.stream().anyMatch(it -> wasMoved(recordKey, it, now));
        return new Place(here, fits ? here : of.get(0).partition().partition());
    }

    private boolean isOf(Source source, Topic now) {
        return source.partition().topic().equals(topic) && source.topicId().equals(now.id());
    }

    /** Whether the key was there before partitions were added: then it belongs here from now on. */
    private boolean wasMoved(byte[] recordKey, Source there, Topic now) {
        Collection<Source> all = sources.of(topic, now);
        return all.stream()
                .map(it -> it.growth().round())
                .distinct()
                .map(round -> partitionsOf(all, round))
                .filter(partitions -> partitions < now.partitions())
                .anyMatch(
                        partitions ->
                                partitioner.partition(recordKey, partitions)
                                        == there.partition().partition());
    }

    private static int partitionsOf(Collection<Source> all, int round) {
        return (int)
                all.stream()
                        .filter(it -> it.growth().round() <= round)
                        .map(it -> it.partition().partition())
                        .distinct()
                        .count();
    }
}
