package dev.envelope.app.config.value;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes numbers of slots: {@code 0-3,7}. */
public final class SlotRanges {

    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    private SlotRanges() {}

    /** The numbers, each once. */
    public static NavigableSet<Integer> parse(String text) throws BadValueException {
        NavigableSet<Integer> slots = new TreeSet<>();
        for (String part : text.split(",", -1)) {
            Matcher range = RANGE.matcher(part.strip());
            if (!range.matches()) {
                throw new BadValueException("is no list of slots, as 0-3,7 is one");
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last < first) {
                throw new BadValueException("goes down: " + part.strip());
            }
            for (int slot = first; slot <= last; slot++) {
                if (!slots.add(slot)) {
                    throw new BadValueException("names slot " + slot + " twice");
                }
            }
        }
        return slots;
    }

    /** As {@link #parse} reads them. */
    public static String text(SortedSet<Integer> slots) {
        List<String> ranges = new ArrayList<>();
        int first = -1;
        for (int slot : slots) {
            first = slots.contains(slot - 1) ? first : slot;
            if (!slots.contains(slot + 1)) {
                ranges.add(first == slot ? "" + slot : first + "-" + slot);
            }
        }
        return String.join(",", ranges);
    }
}
