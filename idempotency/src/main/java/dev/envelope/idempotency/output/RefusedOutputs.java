package dev.envelope.idempotency.output;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Refused;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outputs that Kafka refuses: too large, or of a topic that is not there. They are taken out of
 * their rows, together with the later ones of their lanes, so that the others go; and are tried
 * again from time to time, each row in a batch of its own.
 *
 * <p>A round goes through all refused rows. Of those that are refused for the same reason it tries
 * one, and goes on with the next only while that succeeds. A row that was refused often is tried in
 * few rounds, so another one has its turn.
 *
 * <p>Threads: one thread, the relay's.
 */
final class RefusedOutputs {

    private static final Logger log = LoggerFactory.getLogger(RefusedOutputs.class);
    private static final Duration ROUND_EVERY = Duration.ofSeconds(10);
    private static final int FEWEST_ROUNDS = 30; // a row is tried in one of 30 rounds: 5 minutes
    private static final int AT_ONCE = 20;
    private static final int MOST_SAID = 5; // topics, in one line

    private final OutputStore store;
    private final Batches batches;
    private final Lanes lanes;
    private final Ticker ticker;
    private final Set<String> failed = new HashSet<>(); // reasons, in this round
    private final Set<String> waiting = new HashSet<>(); // topics, in this round
    private final Map<String, String> said = new TreeMap<>(); // the last reason, by topic

    private Place reached = Place.START; // in this round
    private @Nullable Refused trying;
    private long rounds;
    private long nextRound;

    RefusedOutputs(OutputStore store, Batches batches, Lanes lanes, Ticker ticker) {
        this.store = store;
        this.batches = batches;
        this.lanes = lanes;
        this.ticker = ticker;
        this.nextRound = ticker.nanoTime() + ROUND_EVERY.toNanos();
    }

    /** Other rows can have these places: in another life of the database, or for another relay. */
    void forget() {
        reached = Place.START;
        trying = null;
    }

    /** Why outputs are refused, in one line; empty if none are, as far as known. */
    String trouble() {
        List<String> all = new ArrayList<>();
        said.entrySet().stream()
                .limit(MOST_SAID)
                .forEach(
                        it ->
                                all.add(
                                        "topic %s refuses outputs: %s"
                                                .formatted(it.getKey(), it.getValue())));
        if (said.size() > MOST_SAID) {
            all.add((said.size() - MOST_SAID) + " more topics refuse outputs");
        }
        return String.join("; ", all);
    }

    /** Whether there are refused rows that this round has not come to. */
    boolean isInRound() {
        return !reached.equals(Place.START);
    }

    /** The next row to try again, if it is time for one. */
    Optional<Row> next(Own own) {
        trying = null;
        if (!isInRound() && ticker.nanoTime() - nextRound < 0) {
            return Optional.empty();
        }
        List<Refused> some = store.refused(own, reached, AT_ONCE);
        if (some.isEmpty()) {
            endRound();
            return Optional.empty();
        }
        for (Refused refused : some) {
            reached = refused.row().place();
            if (batches.sent().contains(refused.row().place())) {
                continue; // it is only not deleted yet
            }
            if (isDue(refused) && !failed.contains(refused.why()) && isFirst(own, refused.row())) {
                trying = refused;
                return Optional.of(refused.row());
            }
            waits(refused.row());
        }
        return Optional.empty();
    }

    private void endRound() {
        Set<String> over = new TreeSet<>(said.keySet());
        over.removeAll(waiting);
        over.forEach(topic -> log.info("topic {} takes outputs again", topic));
        said.keySet().removeAll(over);
        reached = Place.START;
        rounds++;
        nextRound = ticker.nanoTime() + ROUND_EVERY.toNanos();
        failed.clear();
        waiting.clear();
    }

    private boolean isDue(Refused refused) {
        long every = Math.min(FEWEST_ROUNDS, 1L << Math.min(Math.max(refused.tries() - 1, 0), 5));
        return (rounds + refused.row().place().position()) % every == 0;
    }

    private boolean isFirst(Own own, Row row) {
        long end = row.place().position() + 1;
        return isNoneBefore(own, row.place())
                && lanes.isFirst(
                        row, store.before(own, end, lanes.known(), lanes.asked(List.of(row))));
    }

    /** Whether all that was saved before it is sent, but what waits for others. */
    private boolean isNoneBefore(Own own, Place place) {
        List<Place> without = new ArrayList<>(batches.sent());
        without.addAll(lanes.waiting());
        return store.next(own, without, 1, 1).stream()
                .allMatch(it -> it.place().compareTo(place) > 0);
    }

    private void waits(Row row) {
        row.items().forEach(item -> waiting.add(item.topic()));
    }

    /**
     * Takes refused outputs out of their rows.
     *
     * @param rows of a batch that was aborted
     * @param refusals why, by index of the output in the batch
     */
    void takeOut(Own own, List<Row> rows, Map<Integer, String> refusals) {
        if (!batches.close()) {
            return; // whoever serves this relay now tries them
        }
        int first = 0;
        for (Row row : rows) {
            Map<Integer, String> ofRow = new TreeMap<>();
            for (int i = 0; i < row.items().size(); i++) {
                String why = refusals.get(first + i);
                if (why != null) {
                    ofRow.put(i, why);
                }
            }
            if (!ofRow.isEmpty()) {
                takeOut(own, row, ofRow);
            }
            first += row.items().size();
        }
    }

    private void takeOut(Own own, Row row, Map<Integer, String> refusals) {
        String why = refusals.values().iterator().next();
        refusals.forEach((index, reason) -> say(row.items().get(index).topic(), reason));
        List<Integer> held = withThoseBehind(row, refusals.keySet());
        Refused before = trying;
        if (before != null) {
            failed.add(before.why());
            failed.add(why);
            waits(row);
        }
        if (before != null && held.size() == row.items().size()) {
            store.refusedAgain(own, row.place(), why);
        } else {
            store.split(own, row, held, why);
        }
    }

    /** The refused outputs of a row, and the later ones of their lanes. */
    private static List<Integer> withThoseBehind(Row row, Set<Integer> refused) {
        Set<Integer> lanes = new HashSet<>();
        List<Integer> held = new ArrayList<>();
        for (int i = 0; i < row.items().size(); i++) {
            Item item = row.items().get(i);
            if (refused.contains(i)) {
                lanes.add(item.lane());
            }
            if (lanes.contains(item.lane())) {
                held.add(i);
            }
        }
        return held;
    }

    private void say(String topic, String why) {
        if (said.put(topic, why) == null) {
            log.warn(
                    "topic {} refuses outputs: {}; they wait, with the later ones of their keys to"
                            + " this topic, and are tried again; all others are sent",
                    topic,
                    why);
        }
    }
}
