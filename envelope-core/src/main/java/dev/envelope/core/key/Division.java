package dev.envelope.core.key;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;

/**
 * How rows are divided: each key is in one slot, each slot at one place. A place is what can fail
 * for itself: a database server. The hash is that of Kafka's default partitioner, of the row key:
 * where the number of partitions is a multiple of the number of slots, all keys of a partition are
 * in one slot.
 *
 * <p>Threads: immutable.
 */
public final class Division {

    /** Not divided: one slot, at one place. */
    public static final Division NONE = new Division(List.of(0));

    private final int[] places; // by slot
    private final int placeCount;

    /**
     * @param placeOfSlot the place of each slot; places are numbered from 0 on, and each has a slot
     */
    public Division(List<Integer> placeOfSlot) {
        this.places = placeOfSlot.stream().mapToInt(Integer::intValue).toArray();
        this.placeCount = (int) Arrays.stream(places).distinct().count();
        if (placeCount == 0 || Arrays.stream(places).anyMatch(it -> it < 0 || it >= placeCount)) {
            throw new IllegalArgumentException("places have gaps: " + placeOfSlot);
        }
    }

    /**
     * The slot of the row of this key. Messages that can't have a row are set aside where the
     * default partitioner would have put the rows of their partition.
     */
    public int slotOf(String key) {
        if (places.length == 1) {
            return 0;
        }
        int number =
                Message.isOfNoRow(key)
                        ? partitionIn(key)
                        : Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8)));
        return number % places.length;
    }

    private static int partitionIn(String keyWithoutRow) {
        int dash = keyWithoutRow.lastIndexOf('-');
        return dash < 0 ? 0 : Integer.parseInt(keyWithoutRow, dash + 1, keyWithoutRow.length(), 10);
    }

    /** Where that slot is. */
    public int placeOf(int slot) {
        return places[slot];
    }

    /** The slots at a place, ascending. */
    public List<Integer> slotsAt(int place) {
        return IntStream.range(0, places.length)
                .filter(slot -> places[slot] == place)
                .boxed()
                .toList();
    }

    public int slots() {
        return places.length;
    }

    public int places() {
        return placeCount;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Division its && Arrays.equals(places, its.places);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(places);
    }
}
