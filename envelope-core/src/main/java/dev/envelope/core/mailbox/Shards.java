package dev.envelope.core.mailbox;

import dev.envelope.core.api.Environment;
import dev.envelope.core.key.Division;
import dev.envelope.core.waiting.Slabs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All shards of a process. The same key always comes to the same one.
 *
 * <p>Threads: immutable.
 */
public final class Shards {

    private final List<Shard> shards;
    private final Division division;
    private final int ofSlot; // how many shards each slot has, a power of two

    private Shards(List<Shard> shards, Division division) {
        this.shards = shards;
        this.division = division;
        this.ofSlot = shards.size() / division.slots();
    }

    /** The same for rows that are not divided. */
    public static Shards of(
            int count, ReadyShards readyShards, Environment environment, KeyGate gate) {
        return of(count, Division.NONE, readyShards, environment, gate);
    }

    /**
     * Creates empty shards: this many, and at least one for each slot. A shard has keys of one slot
     * alone.
     *
     * @param count a power of two
     * @param readyShards takes those that have something to do
     * @param gate says which keys have to wait
     */
    public static Shards of(
            int count,
            Division division,
            ReadyShards readyShards,
            Environment environment,
            KeyGate gate) {
        if (Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException("not a power of two: " + count);
        }
        int ofSlot = 1;
        while (ofSlot * division.slots() < count) {
            ofSlot *= 2;
        }
        Slabs slabs = new Slabs();
        List<Shard> shards = new ArrayList<>(division.slots() * ofSlot);
        for (int number = 0; number < division.slots() * ofSlot; number++) {
            int place = division.placeOf(number / ofSlot);
            shards.add(new Shard(number, place, readyShards, environment, gate, slabs));
        }
        return new Shards(List.copyOf(shards), division);
    }

    /** The number of the shard that a key belongs to. */
    public int numberOf(String key) {
        int hash = key.hashCode() * 0x9E3779B9; // spreads keys that differ little
        return division.slotOf(key) * ofSlot + ((hash >>> 16) & (ofSlot - 1));
    }

    public Shard get(int number) {
        return shards.get(number);
    }

    public List<Shard> all() {
        return shards;
    }

    public int count() {
        return shards.size();
    }

    /** Any thread: the standing of a key that has had to wait. */
    public Optional<Standing> standing(String key) {
        return shards.get(numberOf(key)).standing(key);
    }

    /** Any thread: the keys that have to wait, longest first, at most this many. */
    public List<Map.Entry<String, Standing>> longestWaiting(int most) {
        return shards.stream()
                .flatMap(Shard::waitingKeys)
                .sorted(
                        Comparator.comparingLong(
                                (Map.Entry<String, Standing> it) -> it.getValue().sinceNanos()))
                .limit(most)
                .toList();
    }

    /** Any thread: all keys that have to wait. */
    public Stream<Map.Entry<String, Standing>> waitingKeys() {
        return shards.stream().flatMap(Shard::waitingKeys);
    }

    /** Any thread: epochs have ended, their messages are to be forgotten. */
    public void epochsEnded() {
        shards.forEach(Shard::epochsEnded);
    }
}
