package dev.envelope.integration.demo.inventory;

import dev.envelope.integration.demo.group.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How the demo stands now, and what is said of it.
 *
 * <p>Threads: immutable.
 *
 * @param counts since the beginning
 * @param orders in the second before
 * @param answers in the second before
 * @param repeated commands that were sent again, since nobody had answered
 * @param window the seconds before this one
 * @param slowSeconds for how long the database will go on being slow
 * @param resting whether nothing is ordered, so that nothing may be missing
 */
record InventoryMoment(
        Auditor.Audit audit,
        Counts.Seen counts,
        long orders,
        long answers,
        long repeated,
        List<Member> members,
        List<Second> window,
        long slowSeconds,
        boolean resting,
        List<String> sentences) {

    static final InventoryMoment NONE =
            new InventoryMoment(
                    new Auditor.Audit(ItemBook.Count.NONE, 0, List.of(), List.of(), false),
                    new Counts.Seen(0, 0, 0, List.of(), 0, 0),
                    0,
                    0,
                    0,
                    List.of(),
                    List.of(),
                    0,
                    false,
                    List.of());

    static final String WRONG = "WRONG: ";

    private static final int WINDOW = 60;

    /** A second of the page's charts. */
    record Second(long orders, long reserved, long slowMillis) {}

    /** What comes a second after this one. */
    InventoryMoment next(
            Auditor.Audit audit,
            Counts.Seen counts,
            long repeated,
            List<Member> members,
            long slowSeconds,
            boolean resting) {
        List<Second> seconds = new ArrayList<>(window);
        long ordered = counts.orders() - this.counts.orders();
        seconds.add(new Second(ordered, audit.count().reserved(), counts.slowMillis()));
        InventoryMoment next =
                new InventoryMoment(
                        audit,
                        counts,
                        ordered,
                        counts.answers() - this.counts.answers(),
                        repeated,
                        members,
                        seconds.subList(Math.max(0, seconds.size() - WINDOW), seconds.size()),
                        slowSeconds,
                        resting,
                        List.of());
        return next.with(next.said());
    }

    private InventoryMoment with(List<String> words) {
        return new InventoryMoment(
                audit,
                counts,
                orders,
                answers,
                repeated,
                members,
                List.copyOf(window),
                slowSeconds,
                resting,
                words);
    }

    private List<String> said() {
        List<String> words = new ArrayList<>();
        words.add(
                resting
                        ? "A rest: nothing is ordered, until all reservations have ended and all events have come."
                        : format(
                                "%,d orders in the last second, a third of them for item-0. %,d answers:"
                                        + " half of the callers waited %,d ms or less, 99 of 100 %,d ms.",
                                orders, answers, counts.halfMillis(), counts.slowMillis()));
        ItemBook.Count stock = audit.count();
        words.add(
                format(
                        "%,d pieces were delivered: %,d are available, %,d reserved, %,d sold."
                                + " %,d reservations have expired, %,d orders were rejected.",
                        stock.delivered(),
                        stock.available(),
                        stock.reserved(),
                        stock.sold(),
                        stock.expired(),
                        counts.rejected()));
        if (slowSeconds > 0) {
            words.add(format("The database is slow for another %d s.", slowSeconds));
        }
        String dead =
                members.stream()
                        .filter(it -> it.state() == Member.State.DEAD)
                        .map(it -> "instance " + it.number())
                        .collect(Collectors.joining(" and "));
        if (!dead.isEmpty()) {
            words.add(
                    "Killed: "
                            + dead
                            + ". Callers ask the other one, with the same ids; what was"
                            + " applied is answered from the table of answers.");
        }
        words.add(
                audit.isRight()
                        ? format(
                                "The auditor has compared %,d records of the log, %,d events, %,d"
                                        + " answers and %,d reads with the rows: all are right.",
                                stock.records(), stock.events(), stock.answers(), stock.reads())
                        : wrong());
        return List.copyOf(words);
    }

    String wrong() {
        return WRONG + String.join("; ", audit.wrong());
    }

    /** The same for a line of a terminal. */
    String line() {
        ItemBook.Count stock = audit.count();
        return format(
                "%,6d orders/s  %,6d reserved  %,8d sold  %,6d expired  %,6d rejected  answers p50"
                        + " %,4d ms p99 %,5d ms  %s%s",
                orders,
                stock.reserved(),
                stock.sold(),
                stock.expired(),
                counts.rejected(),
                counts.halfMillis(),
                counts.slowMillis(),
                audit.isRight() ? "all right" : wrong(),
                mood());
    }

    private String mood() {
        StringBuilder mood = new StringBuilder();
        if (resting) {
            mood.append("  rest");
        }
        if (slowSeconds > 0) {
            mood.append("  slow database");
        }
        members.stream()
                .filter(it -> it.state() == Member.State.DEAD)
                .forEach(it -> mood.append("  instance ").append(it.number()).append(" is dead"));
        return mood.toString();
    }

    /** What is said once nothing may be missing. */
    static String proof(Auditor.Audit audit, Counts.Seen counts) {
        List<String> wrong = new ArrayList<>(audit.wrong());
        wrong.addAll(counts.failures());
        if (!wrong.isEmpty()) {
            return WRONG + String.join("; ", wrong);
        }
        ItemBook.Count stock = audit.count();
        return format(
                "All %,d records of the log and %,d rows of the table of deliveries count once: never oversold, nothing reserved for ever,"
                        + " %,d delivered = %,d available + %,d sold; each of %,d events came once"
                        + " and in order; each of %,d answers and %,d reads is true.",
                stock.records() - audit.tableRows(),
                audit.tableRows(),
                stock.delivered(),
                stock.available(),
                stock.sold(),
                stock.events(),
                stock.answers(),
                stock.reads());
    }

    private static String format(String words, Object... values) {
        return String.format(Locale.ROOT, words, values);
    }
}
