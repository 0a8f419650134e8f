package dev.envelope.app.database;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.StoreDivision;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.idempotency.store.postgres.place.division.DivisionPlan;
import dev.envelope.idempotency.store.postgres.place.division.SlotDivision;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Divides the rows of an application that are not divided, as its new settings say. What can't be
 * done is thrown as a start would: {@link RefusedStartException}, {@link UnreachableException}.
 */
public final class RowsDivision {

    private static final long TOLD_EACH = 1_000_000;

    private final SlotDivision division;
    private final int slots;

    private RowsDivision(SlotDivision division, int slots) {
        this.division = division;
        this.slots = slots;
    }

    /**
     * What it would do.
     *
     * @param schema that is divided, under its present name
     * @param slots the place and the schema of each
     * @param rows about how many
     * @param next what the command would do now
     * @param waits what the last step would wait for
     * @param obstacles why it can't be done; empty if it can
     */
    public record Planned(
            String schema,
            List<String> slots,
            long rows,
            String size,
            String next,
            List<String> waits,
            List<String> obstacles) {

        private Planned(DivisionPlan it) {
            this(
                    it.schema(),
                    it.slots(),
                    it.rows(),
                    "%,d KiB".formatted(it.bytes() >> 10),
                    it.next(),
                    it.waits(),
                    it.obstacles());
        }
    }

    /**
     * That of an application; nothing is connected yet.
     *
     * @param told how far it is, line by line
     */
    public static RowsDivision of(Settings settings, String instance, Consumer<String> told) {
        StoreDivision wanted = StoreDivision.of(settings);
        if (!wanted.isDivided()) {
            throw new RefusedStartException(
                    List.of(
                            "store.slots is 1: run this with the new settings (docs/guide/places.md)"));
        }
        return new RowsDivision(
                new SlotDivision(
                        ApplicationDatabase.of(settings, instance).sites(),
                        IntStream.range(0, wanted.slots())
                                .mapToObj(it -> wanted.placeOf(it).name())
                                .toList(),
                        InstantSource.system(),
                        () -> UUID.randomUUID().toString(),
                        new Told(told)),
                wanted.slots());
    }

    /** How many there are to be. */
    public int slots() {
        return slots;
    }

    /** What it would do. */
    public Planned plan() {
        return DividedSlots.asked(() -> new Planned(division.plan()));
    }

    /** Copies the rows while processes run; returns what was done, in words. */
    public String copy(String by) {
        return DividedSlots.asked(() -> division.copy(by));
    }

    /** Does the last step; returns what was done, in words. */
    public String finish(String by) {
        return DividedSlots.asked(() -> division.finish(by));
    }

    /** Takes it back; returns what was done, in words. */
    public String abandon() {
        return DividedSlots.asked(division::abandon);
    }

    /** Puts into lines how far it is. */
    private record Told(Consumer<String> lines) implements SlotDivision.Progress {

        @Override
        public void done(SlotDivision.Step step, String words) {
            lines.accept(words);
        }

        @Override
        public void seen(long rows) {
            if (rows % TOLD_EACH == 0) {
                lines.accept("%,d rows looked at".formatted(rows));
            }
        }
    }
}
