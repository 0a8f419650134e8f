package dev.envelope.integration.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When an instance has saved each partition, in microseconds of the machine's clock.
 *
 * <p>Threads: immutable.
 */
record SaveTimes(TreeMap<Integer, TreeSet<Long>> byPartition) {

    /** Reads what a contestant has written down. */
    static SaveTimes read(Path file) throws IOException {
        return parse(Files.readAllLines(file));
    }

    static SaveTimes parse(List<String> lines) {
        TreeMap<Integer, TreeSet<Long>> times = new TreeMap<>();
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            times.computeIfAbsent(Integer.parseInt(words[0]), partition -> new TreeSet<>())
                    .add(Long.parseLong(words[1]));
        }
        return new SaveTimes(times);
    }

    /** The partitions that were saved between two moments. */
    Set<Integer> savedBetween(long from, long to) {
        Set<Integer> saved = new TreeSet<>();
        byPartition.forEach(
                (partition, times) -> {
                    if (!times.subSet(from, to).isEmpty()) {
                        saved.add(partition);
                    }
                });
        return saved;
    }

    /** The first save of a partition from a moment on. */
    OptionalLong firstFrom(int partition, long from) {
        Long first = byPartition.getOrDefault(partition, new TreeSet<>()).ceiling(from);
        return first == null ? OptionalLong.empty() : OptionalLong.of(first);
    }

    /**
     * The longest time between two saves of one of these partitions, as far as it ends in the
     * window; 0 if there are no two.
     */
    long longestGap(Set<Integer> partitions, long from, long to) {
        long longest = 0;
        for (int partition : partitions) {
            TreeSet<Long> times = byPartition.getOrDefault(partition, new TreeSet<>());
            for (long end : times.subSet(from, to)) {
                Long start = times.lower(end);
                if (start != null) {
                    longest = Math.max(longest, end - start);
                }
            }
        }
        return longest;
    }
}
