package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.RowKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a seed are divided between places, and its keys between partitions.
 *
 * <p>Threads: immutable.
 *
 * @param partitions of each topic, if rows are divided
 * @param isDefaultPartitioner whether producers divide keys as Kafka's default partitioner does
 */
record SimDivision(Division slots, int partitions, boolean isDefaultPartitioner) {

    static final SimDivision NONE = new SimDivision(Division.NONE, 0, false);

    private static final int ONE_SEED_IN = 4;
    private static final int MOST_SLOTS = 8;
    private static final int MOST_PLACES = 4;
    private static final int MOST_PARTITIONS = 6;

    /** That of a seed; most have none. */
    static SimDivision of(long seed) {
        return seed % ONE_SEED_IN == 0 ? dividing(seed) : NONE;
    }

    /** One for a seed. In half of them the slots divide the partitions. */
    static SimDivision dividing(long seed) {
        SplittableRandom random = new SplittableRandom(~seed); // the world draws what it would
        int slots = 2 + random.nextInt(MOST_SLOTS - 1);
        int places = 1 + random.nextInt(Math.min(MOST_PLACES, slots));
        List<Integer> placeOfSlot = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            placeOfSlot.add(slot < places ? slot : random.nextInt(places));
        }
        Collections.shuffle(placeOfSlot, new Random(seed));
        boolean divides = random.nextBoolean();
        int partitions = slots;
        while (!divides && partitions % slots == 0) {
            partitions = 1 + random.nextInt(MOST_PARTITIONS);
        }
        return new SimDivision(
                new Division(placeOfSlot), partitions, divides || random.nextBoolean());
    }

    boolean isDivided() {
        return slots.slots() > 1;
    }

    /** Whether all keys of a partition are in one slot, as long as there are so many partitions. */
    boolean isAligned(SimSettings settings) {
        return isDivided()
                && isDefaultPartitioner
                && partitions % slots.slots() == 0
                && settings.scope() == RowKeys.Scope.APPLICATION;
    }

    /** Of so many partitions the one that producers put a key into. */
    int partitionOf(int number, String key, int known) {
        return isDefaultPartitioner
                ? Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % known
                : number % known;
    }

    /** The slot of a row, or of what can't have one. */
    int slotOf(@Nullable String rowKey, TopicPartition partition) {
        return slots.slotOf(rowKey == null ? Message.NO_ROW + partition : rowKey);
    }
}
