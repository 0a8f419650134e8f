package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.integration.simulation.ReplyChecks.Settled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of a row with each save: its version and marks (I5), that exactly what its marks
 * pass was applied, in order (I4), or parked for a reason (I11).
 *
 * <p>Threads: one thread.
 */
final class RowChecks {

    private static final Pattern OF_A_MARK = Pattern.compile("[:@]");
    private static final NextOffset BEGINNING = new NextOffset(0, NextOffset.NO_EPOCH);

    private final World world;

    /**
     * Of each row, as it stood at some time: which records that were sent twice it has applied, for
     * sure or perhaps.
     */
    private final IdentityHashMap<Snapshot, Map<String, Boolean>> seen = new IdentityHashMap<>();

    /**
     * Likewise, of the few rows to which a process that had lost its partitions has applied what
     * was cut off meanwhile: what of the present log their marks had passed before they went back.
     */
    private final IdentityHashMap<Snapshot, Set<String>> leftBehind = new IdentityHashMap<>();

    private final Set<String> putOut = new HashSet<>();
    private final Set<String> everParked = new HashSet<>();

    RowChecks(World world) {
        this.world = world;
    }

    /** A process has saved a row. */
    void saved(SimInstance by, @Nullable Snapshot before, Snapshot after, Change change) {
        checkVersion(before, after);
        if (world.doubts().isOfRow(after.key())) {
            world.checks().replies().inDoubt(after.key(), change.effects().replies());
            return;
        }
        List<ParkedMessage> parkedNow = change.parked();
        Set<String> parked = places(parkedNow);
        Set<String> deadLetters = placesOfDeadLetters(change.deadLetters());
        Map<Integer, NextOffset> own = marks(before);
        Map<Integer, NextOffset> from = world.checks().purges().wider(after.key(), own);
        Map<Integer, NextOffset> to = marks(after);
        Map<String, Boolean> applied = new HashMap<>(seen.getOrDefault(before, Map.of()));
        List<String> has = state(after);
        boolean isOfOne = isOfOneSource(from, to);
        TimerWalk timers = world.checks().timers().walk(after.key(), isOfOne);
        Passing passing = new Passing(after.key(), from, own, applied, state(before), has, timers);
        Predicate<String> mayMiss = passing.mayMiss(world.losses()::mayMiss);
        Effects effects = new Effects(state(before), mayMiss);
        List<SimRecord> allDue = new ArrayList<>();
        List<Settled> settled = new ArrayList<>();
        Set<String> again = new HashSet<>();
        Set<String> left = new HashSet<>(leftBehind.getOrDefault(before, Set.of()));
        for (Source source : world.database().sources()) {
            NextOffset begin = from.getOrDefault(source.number(), BEGINNING);
            NextOffset end = to.getOrDefault(source.number(), BEGINNING);
            boolean isKnown = own.containsKey(source.number()) || to.containsKey(source.number());
            if (isKnown && end.offset() < begin.offset()) {
                fail("mark-shrunk", after + " of " + source.partition());
            }
            if (end.offset() > begin.offset()) {
                world.checks().drains().saved(by, source.partition());
                SimPartition log = world.log().of(source.partition(), source.topicId());
                String key = keyOf(after, source);
                Set<String> passedUnderFormer = passedUnderFormer(source, log, key, own);
                List<SimRecord> passed =
                        log.passed(key, begin, end).stream()
                                .filter(it -> !left.contains(it.place()))
                                .toList();
                boolean isOfCutOff =
                        end.leaderEpoch() >= 0 && end.leaderEpoch() < begin.leaderEpoch();
                if (isOfCutOff && log.wasTruncated()) {
                    log.passed(key, BEGINNING, begin).forEach(it -> left.add(it.place()));
                }
                List<SimRecord> flowing =
                        passed.stream()
                                .filter(it -> it.offset() >= source.start().offset())
                                .filter(
                                        it ->
                                                !passedUnderFormer.contains(it.place())
                                                        || isAppliedAfterAll(it.place(), has))
                                .filter(it -> !parked.contains(it.place()))
                                .filter(it -> !deadLetters.contains(it.place()))
                                .toList();
                timers.nextSource();
                boolean mayHide = !isOfOne || flowing.stream().anyMatch(SimRecord::isTombstone);
                List<SimRecord> due = due(log, flowing, mayMiss, mayHide, passing);
                checkNothingOvertakes(before, due, mayMiss, parkedNow);
                effects.due(due);
                allDue.addAll(due);
                due.stream()
                        .filter(it -> has.contains(it.place()))
                        .forEach(it -> world.checks().progress().applied(by, source, it));
                for (SimRecord it : passed) {
                    if (parked.contains(it.place())) {
                        settled.add(new Settled(it, source.number(), Result.PARKED));
                    } else if (deadLetters.contains(it.place())) {
                        settled.add(new Settled(it, source.number(), Result.PUT_OUT));
                    } else if (flowing.contains(it)) {
                        settled.add(
                                Settled.of(it, source.number(), due.contains(it), mayMiss, has));
                    } else if (passedUnderFormer.contains(it.place())) {
                        again.add(it.place());
                    }
                }
            }
        }
        world.checks().timers().saved(after.key(), timers);
        check(effects, before, after, has);
        world.checks().outputs().applied(after.key(), allDue, mayMiss, has, change.outputs());
        List<Reply> replies = change.effects().replies();
        world.checks().replies().saved(after.key(), settled, again, replies);
        world.checks().growth().applied(after.key(), has);
        world.checks().repairs().saved(after);
        if (own.equals(to) && parkedNow.isEmpty() && deadLetters.isEmpty()) {
            fail("version", after + " was saved, and passes nothing");
        }
        carry(after, applied, left);
    }

    /** What is known of a row goes on with it. */
    private void carry(Snapshot after, Map<String, Boolean> applied, Set<String> left) {
        seen.put(after, applied);
        if (!left.isEmpty()) {
            leftBehind.put(after, left);
        }
    }

    /** Whether a row had passed a record before its mark went back to where the log was cut. */
    boolean hasLeftBehind(@Nullable Snapshot row, String place) {
        return leftBehind.getOrDefault(row, Set.of()).contains(place);
    }

    /**
     * What a row had passed behind a cut already, before it was found and accepted. A row that was
     * purged since passes it once more: the sources of former generations are not asked up to where
     * rows were purged, for that takes longer than any cut stays unnoticed outside.
     */
    Set<String> passedUnderFormer(
            Source source, SimPartition log, String key, Map<Integer, NextOffset> marks) {
        return world.database().sources().stream()
                .filter(it -> it.partition().equals(source.partition()))
                .filter(it -> it.topicId().equals(source.topicId()))
                .filter(it -> it.generation() < source.generation())
                .map(it -> marks.getOrDefault(it.number(), BEGINNING))
                .flatMap(mark -> log.passed(key, BEGINNING, mark).stream())
                .map(SimRecord::place)
                .collect(Collectors.toSet());
    }

    /** Behind an accepted cut it comes again, and nothing in the row says that it was put out. */
    private boolean isAppliedAfterAll(String place, List<String> has) {
        return putOut.contains(place) && has.contains(place);
    }

    /** What was parked is taken out, and folded or left out. */
    void redriven(
            Snapshot before, Snapshot after, List<ParkedMessage> taken, HandlerEffects wanted) {
        checkVersion(before, after);
        if (!marks(before).equals(marks(after))) {
            fail("mark-shrunk", "a redrive moved the marks of " + after);
        }
        if (world.doubts().isOfRow(after.key())) {
            world.checks().replies().inDoubt(after.key(), wanted.replies());
            return;
        }
        Map<String, Boolean> applied = new HashMap<>(seen.getOrDefault(before, Map.of()));
        List<String> has = state(after);
        Map<Integer, NextOffset> from = world.checks().purges().wider(after.key(), marks(before));
        TimerWalk timers = world.checks().timers().walk(after.key(), true);
        timers.nextSource();
        Passing passing =
                new Passing(after.key(), from, marks(before), applied, state(before), has, timers);
        Predicate<String> isLetGo = passing.mayMiss(world.losses()::isLetGo);
        Effects effects = new Effects(state(before), isLetGo);
        boolean mayHide = taken.stream().anyMatch(it -> it.message().value() == null);
        List<SimRecord> due = new ArrayList<>();
        List<Settled> settled = new ArrayList<>();
        for (ParkedMessage parked : taken) {
            Source source = sourceOf(parked);
            SimPartition log = world.log().of(source.partition(), source.topicId());
            SimRecord record = log.at(Trace.place(parked.message()));
            // Behind an accepted cut it was parked though the row had passed it: its id may tell.
            String key = keyOf(after, source);
            if (passedUnderFormer(source, log, key, marks(before)).contains(record.place())) {
                passing.unsure.add(record.place());
            }
            boolean isThere = passing.had.contains(record.place());
            List<SimRecord> its =
                    isThere ? List.of() : due(log, List.of(record), isLetGo, mayHide, passing);
            due.addAll(its);
            settled.add(Settled.of(record, source.number(), !its.isEmpty(), isLetGo, has));
        }
        effects.due(due);
        world.checks().timers().saved(after.key(), timers);
        check(effects, before, after, has);
        world.checks().outputs().applied(after.key(), due, isLetGo, has, wanted.outputs());
        world.checks().replies().saved(after.key(), settled, Set.of(), wanted.replies());
        world.checks().repairs().saved(after);
        carry(after, applied, leftBehind.getOrDefault(before, Set.of()));
    }

    /** A person has set what it says, or deleted it with the ids that it has seen. */
    void repaired(Snapshot before, Snapshot after) {
        checkVersion(before, after);
        Map<String, Boolean> applied = seen.getOrDefault(before, Map.of());
        carry(
                after,
                after.ids() == null ? Map.of() : applied,
                leftBehind.getOrDefault(before, Set.of()));
    }

    /** A session outside has written the same again. */
    void touched(Snapshot before, Snapshot after) {
        carry(
                after,
                seen.getOrDefault(before, Map.of()),
                leftBehind.getOrDefault(before, Set.of()));
    }

    private Source sourceOf(ParkedMessage parked) {
        int number = parked.message().epoch().source();
        return world.database().sources().stream()
                .filter(it -> it.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private void checkVersion(@Nullable Snapshot before, Snapshot after) {
        long version = before == null ? Snapshot.ABSENT : before.version();
        if (after.version() != version + 1) {
            fail("version", after.key() + " went from " + version + " to " + after.version());
        }
    }

    private String keyOf(Snapshot row, Source source) {
        String prefix = world.settings().rowKey(source.partition().topic(), "");
        return row.key().substring(prefix.length());
    }

    /**
     * A save that passes records of a row.
     *
     * @param marks of the row before, and of the one before that if it was purged
     * @param applied which records that were sent twice it has applied, for sure or perhaps
     * @param own those of the row alone
     * @param had what the row had applied before
     * @param has the row after it
     * @param timers of the row
     * @param unsure records of which nobody can say whether they are to be applied
     */
    private record Passing(
            String rowKey,
            Map<Integer, NextOffset> marks,
            Map<Integer, NextOffset> own,
            Map<String, Boolean> applied,
            Set<String> had,
            Set<String> has,
            TimerWalk timers,
            Set<String> unsure) {

        Passing(
                String rowKey,
                Map<Integer, NextOffset> marks,
                Map<Integer, NextOffset> own,
                Map<String, Boolean> applied,
                List<String> had,
                List<String> has,
                TimerWalk timers) {
            this(
                    rowKey,
                    marks,
                    own,
                    applied,
                    new HashSet<>(had),
                    new HashSet<>(has),
                    timers,
                    new HashSet<>());
        }

        boolean isSure(SimRecord record, Predicate<String> mayMiss) {
            String repeats = record.repeats();
            return has.contains(record.place())
                    || (!mayMiss.test(record.place())
                            && (repeats == null || !mayMiss.test(repeats)));
        }

        Predicate<String> mayMiss(Predicate<String> lost) {
            return place -> lost.test(place) || unsure.contains(place);
        }
    }

    /**
     * Those that must have an effect: not what a producer has sent twice, nor the firing of a timer
     * that is not there any more.
     *
     * @param mayHide whether the save may apply a tombstone: then the row does not say whether
     *     something that need not be applied was applied before it
     */
    private List<SimRecord> due(
            SimPartition log,
            List<SimRecord> passed,
            Predicate<String> mayMiss,
            boolean mayHide,
            Passing save) {
        List<SimRecord> due = new ArrayList<>();
        for (SimRecord record : passed) {
            String place = record.place();
            @Nullable Boolean isApplied = isAppliedBefore(record, save);
            String event = record.repeats() == null ? place : record.repeats();
            @Nullable Boolean isEventApplied = save.applied.get(event); // by any that has its id
            boolean isRepeat = record.repeats() != null && Boolean.TRUE.equals(isEventApplied);
            boolean mayBeRepeat =
                    record.repeats() != null
                            && (Boolean.FALSE.equals(isEventApplied) || mayMiss.test(event));
            if (isApplied == null || mayBeRepeat) { // what was deleted since does not show
                save.unsure.add(place);
            }
            if (record.isFiring() && !counts(record, save)) {
                world.checks().timers().passedBy(record, save.had, save.has);
            } else if (!isRepeat && !Boolean.TRUE.equals(isApplied)) {
                due.add(record);
                save.timers.applied(record, save.isSure(record, mayMiss));
                boolean isSeen = save.has.contains(place) || !mayMiss.test(place);
                if (log.isRepeated(event) && (isSeen || mayHide)) {
                    save.applied.merge(event, isSeen, Boolean::logicalOr);
                }
            }
        }
        return due;
    }

    /** Null if it can't be said: a row that was purged took with it what tells it to the engine. */
    private @Nullable Boolean isAppliedBefore(SimRecord record, Passing save) {
        ReplyChecks replies = world.checks().replies();
        @Nullable Boolean isApplied = replies.isAppliedBefore(save.rowKey, record, save.marks);
        return Objects.equals(isApplied, replies.isAppliedBefore(save.rowKey, record, save.own))
                ? isApplied
                : null;
    }

    private static boolean counts(SimRecord firing, Passing save) {
        TimerWalk.Count count = save.timers.counts(firing);
        if (count == TimerWalk.Count.PERHAPS) {
            save.unsure.add(firing.place());
        }
        return count != TimerWalk.Count.NO;
    }

    /** Whether at most one of the marks moves on. */
    private static boolean isOfOneSource(
            Map<Integer, NextOffset> from, Map<Integer, NextOffset> to) {
        return to.entrySet().stream()
                        .filter(it -> it.getValue().offset() > offset(from, it.getKey()))
                        .count()
                < 2;
    }

    private static long offset(Map<Integer, NextOffset> marks, Integer source) {
        return marks.getOrDefault(source, BEGINNING).offset();
    }

    /** Whether it was ever parked, or has become a dead letter. */
    boolean wasSetAside(String place) {
        return everParked.contains(place) || putOut.contains(place);
    }

    /** Whether it has ever become a dead letter. */
    boolean wasPutOut(String place) {
        return putOut.contains(place);
    }

    /** Nothing is applied while something before it of its key is parked. */
    private void checkNothingOvertakes(
            @Nullable Snapshot before,
            List<SimRecord> due,
            Predicate<String> mayMiss,
            List<ParkedMessage> parkedNow) {
        List<SimRecord> needed = due.stream().filter(it -> !mayMiss.test(it.place())).toList();
        if (needed.isEmpty()) {
            return;
        }
        if (before != null && before.parked() > 0) {
            fail("reorder", needed + " overtake what is parked of " + before);
        }
        SimRecord last = needed.get(needed.size() - 1);
        for (ParkedMessage parked : parkedNow) {
            boolean isSameLog =
                    parked.message().topic().equals(last.record().topic())
                            && parked.message().partition() == last.record().partition();
            if (isSameLog && parked.message().offset() < last.offset()) {
                fail("reorder", last + " overtakes " + parked.message() + ", which is parked");
            }
        }
    }

    /** I11: what is parked has failed often enough, can't be read, or comes behind such a one. */
    void parked(List<ParkedMessage> parkedNow) {
        for (ParkedMessage parked : parkedNow) {
            checkBegun(parked.message());
            noteIfFiring(parked.message());
            everParked.add(Trace.place(parked.message()));
            boolean isFounded =
                    switch (parked.reason()) {
                        case SetAside.FAILED -> hasFailed(parked.message(), parked.attempts());
                        case SetAside.UNDECODABLE ->
                                SimRecord.isMalformed(parked.message().value());
                        case SetAside.KILLED_PROCESS ->
                                world.books().hasKilledEnough(parked.message());
                        case SetAside.BEHIND -> parked.rowKey() != null;
                        default -> hasNoRow(parked.message());
                    };
            if (!isFounded) {
                fail("parked", parked + " need not be parked");
            }
        }
        world.checks().repairs().setAside(parkedNow);
    }

    private void noteIfFiring(Message message) {
        if (message.header(Firing.NAME) != null) {
            world.faults().landed(Fault.FIRING_SET_ASIDE);
        }
    }

    private boolean hasFailed(Message message, int times) {
        return world.checks().folds().failuresOf(message) >= times
                || world.rowFaults().wasRefused(Trace.place(message));
    }

    /** I11 likewise: what is put out has failed often enough, can't be read, or has no key. */
    void deadLettered(List<OutboxRecord> now) {
        for (OutboxRecord letter : now) {
            Message message = letter.origin();
            putOut.add(Trace.place(message));
            checkBegun(message);
            noteIfFiring(message);
            boolean isFounded =
                    switch (letter.reason()) {
                        case SetAside.FAILED -> hasFailed(message, attempts(letter));
                        case SetAside.UNDECODABLE -> SimRecord.isMalformed(message.value());
                        case SetAside.KILLED_PROCESS -> world.books().hasKilledEnough(message);
                        default -> hasNoRow(message);
                    };
            world.faults().landed(Fault.DEAD_LETTER);
            if (!isFounded) {
                fail("dead-letter", letter + " need not be put out");
            }
        }
    }

    private boolean hasNoRow(Message message) {
        byte[] key = message.keyBytes();
        return key == null || Arrays.equals(key, world.formats().keys().bad());
    }

    /** Nothing below its source's start was ever to be read. */
    private void checkBegun(Message message) {
        int source = message.epoch().source();
        boolean isBelow =
                world.database().sources().stream()
                        .filter(it -> it.number() == source)
                        .anyMatch(it -> message.offset() < it.start().offset());
        if (isBelow && !world.doubts().isOfSource(source)) {
            fail("unseen", message + " is below the start of its source");
        }
    }

    private void check(
            Effects effects, @Nullable Snapshot before, Snapshot after, List<String> has) {
        world.checks().versions().saved(before, after);
        String anomaly = effects.anomaly(has);
        if (anomaly != null) {
            fail(
                    anomaly,
                    after.key()
                            + " had "
                            + state(before)
                            + " up to "
                            + (before == null ? "" : before.marks())
                            + ", has "
                            + has
                            + " up to "
                            + after.marks());
        }
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }

    static Set<String> places(Collection<ParkedMessage> parked) {
        return parked.stream().map(it -> Trace.place(it.message())).collect(Collectors.toSet());
    }

    private static int attempts(OutboxRecord letter) {
        Header attempts = letter.headers().lastHeader("envelope.attempts");
        return Integer.parseInt(new String(attempts.value(), StandardCharsets.UTF_8));
    }

    static Set<String> placesOfDeadLetters(List<OutboxRecord> deadLetters) {
        return deadLetters.stream().map(it -> Trace.place(it.origin())).collect(Collectors.toSet());
    }

    private static List<String> state(@Nullable Snapshot row) {
        byte[] state = row == null ? null : row.state();
        return state == null ? List.of() : Trace.CODEC.decode(state).places();
    }

    /** Read from the text that stands in the row. */
    static Map<Integer, NextOffset> marks(@Nullable Snapshot row) {
        Map<Integer, NextOffset> marks = new HashMap<>();
        String text = row == null ? "" : row.marks().format();
        for (String mark : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
            String[] parts = OF_A_MARK.split(mark, -1);
            int epoch = parts.length < 3 ? NextOffset.NO_EPOCH : Integer.parseInt(parts[2]);
            marks.put(Integer.parseInt(parts[0]), new NextOffset(Long.parseLong(parts[1]), epoch));
        }
        return marks;
    }
}
