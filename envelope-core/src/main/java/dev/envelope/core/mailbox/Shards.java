package dev.envelope.core.mailbox;

import dev.envelope.core.api.Environment;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * All shards of a process. The same key always comes to the same one.
 *
 * <p>Threads: immutable.
 */
public final class Shards {

    private final List<Shard> shards;

    private Shards(List<Shard> shards) {
        this.shards = shards;
    }

    /**
     * Creates this many empty shards.
     *
     * @param count a power of two
     * @param readyShards takes those that have something to do
     * @param gate says which keys have to wait
     */
    public static Shards of(
            int count, ReadyShards readyShards, Environment environment, KeyGate gate) {
        if (Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException("not a power of two: " + count);
        }
        return new Shards(
                IntStream.range(0, count)
                        .mapToObj(number -> new Shard(number, readyShards, environment, gate))
                        .toList());
    }

    /** The number of the shard that a key belongs to. */
    public int numberOf(String key) {
        int hash = key.hashCode() * 0x9E3779B9; // spreads keys that differ little
        return (hash >>> 16) & (shards.size() - 1);
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
