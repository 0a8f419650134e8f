package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.command.Outcome.Reason;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.place.CallersStore.AtPlace;
import dev.envelope.idempotency.store.place.CallersStore.OfSlot;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the database says of commands: their answers, and which partitions their rows have messages
 * of.
 *
 * <p>Threads: one thread; may block; throws {@link UnavailableException}.
 */
final class Lookup {

    private final AtPlace store;
    private final TopicsNow topics;
    private final String topic;
    private final Partitioner partitioner;
    private final LongSupplier nanoTime;
    private final Map<OfSlot, Sources> sources = new HashMap<>();

    Lookup(
            AtPlace store,
            TopicsNow topics,
            String topic,
            Partitioner partitioner,
            LongSupplier nanoTime) {
        this.store = store;
        this.topics = topics;
        this.topic = topic;
        this.partitioner = partitioner;
        this.nanoTime = nanoTime;
    }

    /** The name of the place that is asked; empty where rows are not divided. */
    String place() {
        return store.name();
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
     * @param troubles why others of them can't be put anywhere
     */
    record Found(
            Map<CommandId, Answer> answers,
            Map<CommandId, Place> places,
            Map<CommandId, Outcome.Busy> troubles) {

        private Found() {
            this(new HashMap<>(), new HashMap<>(), new HashMap<>());
        }

        Optional<Outcome.Busy> trouble(CommandId command) {
            return Optional.ofNullable(troubles.get(command));
        }

        private void trouble(Collection<Command> commands, Outcome.Busy why) {
            commands.forEach(it -> troubles.put(id(it), why));
        }
    }

    /** What is asked of one slot. */
    private record Asked(List<Command> fresh, Set<CommandId> all) {

        private Asked() {
            this(new ArrayList<>(), new HashSet<>());
        }
    }

    /**
     * Looks.
     *
     * @param fresh commands that are not in the log yet
     * @param waiting commands that are
     */
    Found look(List<Command> fresh, Collection<CommandId> waiting) {
        Map<OfSlot, Asked> bySlot = new LinkedHashMap<>();
        waiting.forEach(it -> in(bySlot, it.key()).all.add(it));
        for (Command command : fresh) {
            Asked its = in(bySlot, command.key());
            its.fresh.add(command);
            its.all.add(id(command));
        }
        Found found = new Found();
        int failed = 0;
        for (Map.Entry<OfSlot, Asked> each : bySlot.entrySet()) {
            Asked asked = each.getValue();
            try {
                if (bytes(found.answers) < ReplyStore.MOST_BYTES) { // else in the next look
                    look(each.getKey(), asked, found);
                }
            } catch (UnavailableException e) {
                String why = Words.describe(e);
                found.trouble(asked.fresh, new Outcome.Busy(Reason.DATABASE, why, place()));
                if (++failed == bySlot.size()) {
                    throw e;
                }
            }
        }
        return found;
    }

    private Asked in(Map<OfSlot, Asked> bySlot, String key) {
        return bySlot.computeIfAbsent(store.ofKey().apply(key), it -> new Asked());
    }

    private void look(OfSlot slot, Asked asked, Found found) {
        Map<CommandId, Answer> answers = slot.replies().find(asked.all);
        found.answers.putAll(answers);
        boolean isEach = bytes(answers) < ReplyStore.MOST_BYTES;
        List<Command> unanswered = new ArrayList<>();
        for (Command command : asked.fresh) {
            if (isEach && !answers.containsKey(id(command))) {
                unanswered.add(command);
            }
        }
        Topic now = topics.find(topic);
        if (now == null) {
            String why = "the topic " + topic + " was not found";
            found.trouble(unanswered, new Outcome.Busy(Reason.BROKERS, why));
        } else if (!unanswered.isEmpty()) {
            place(slot, unanswered, now, found);
        }
    }

    private static long bytes(Map<CommandId, Answer> answers) {
        long bytes = 0;
        for (Answer answer : answers.values()) {
            byte[] value = answer.value();
            bytes += value == null ? 0 : value.length;
        }
        return bytes;
    }

    static CommandId id(Command command) {
        return new CommandId(command.key(), command.id());
    }

    private void place(OfSlot slot, List<Command> commands, Topic now, Found found) {
        Sources its =
                sources.computeIfAbsent(slot, it -> new Sources(it.sources(), topics, nanoTime));
        Map<String, Marks> marks = slot.rows().marks(commands.stream().map(Command::key).toList());
        its.learn(marks.values());
        for (Command command : commands) {
            Optional<Place> place = place(its, command.recordKey(), marks.get(command.key()), now);
            if (place.isPresent()) {
                found.places.put(id(command), place.get());
            } else {
                String why = "it is not known since when partitions are there";
                found.trouble(
                        List.of(command), new Outcome.Busy(Reason.DATABASE, why, its.lacking()));
            }
        }
    }

    /** Empty if it depends on what is not known yet. */
    private Optional<Place> place(Sources its, byte[] recordKey, @Nullable Marks marks, Topic now) {
        int here = partitioner.partition(recordKey, now.partitions());
        if (marks == null) {
            return Optional.of(new Place(here, here));
        }
        List<Source> of = new ArrayList<>();
        marks.forEach(
                (number, next) -> its.find(number).filter(it -> isOf(it, now)).ifPresent(of::add));
        boolean fits =
                of.isEmpty() || of.stream().anyMatch(it -> it.partition().partition() == here);
        if (!fits && !its.lacking().isEmpty()) {
            return Optional.empty();
        }
        fits = fits || of.stream().anyMatch(it -> wasMoved(its, recordKey, it, now));
        return Optional.of(new Place(here, fits ? here : of.get(0).partition().partition()));
    }

    private boolean isOf(Source source, Topic now) {
        return source.partition().topic().equals(topic) && source.topicId().equals(now.id());
    }

    /** Whether the key was there before partitions were added: then it belongs here from now on. */
    private boolean wasMoved(Sources its, byte[] recordKey, Source there, Topic now) {
        Collection<Source> all = its.of(topic, now);
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
