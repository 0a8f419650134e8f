package dev.envelope.app.database;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.place.MovePlan;
import dev.envelope.idempotency.store.postgres.place.SlotEntry;
import dev.envelope.idempotency.store.postgres.place.SlotMove;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The slots of divided rows, for who lists and moves them. What can't be done is thrown as a start
 * would: {@link RefusedStartException}, {@link UnreachableException}.
 */
public final class DividedSlots {

    private static final long TOLD_EACH = 1_000_000;

    private final Map<String, SlotSite> sites;
    private final int count;

    private DividedSlots(Map<String, SlotSite> sites, int count) {
        this.sites = sites;
        this.count = count;
    }

    /**
     * A slot and where it is.
     *
     * @param rows about how many
     * @param move under way, in a sentence; empty if there is none
     */
    public record Slot(int slot, String place, long rows, long bytes, String size, String move) {

        private Slot(SlotEntry it) {
            this(
                    it.slot(),
                    it.places().isEmpty() ? "nowhere" : String.join(" and ", it.places()),
                    it.rows(),
                    it.bytes(),
                    kib(it.bytes()),
                    it.move());
        }
    }

    /**
     * What a move would do.
     *
     * @param servers their versions
     * @param seconds for which keys would wait, roughly
     * @param isBegun whether it would go on with a move
     * @param obstacles why it can't be done; empty if it can
     */
    public record Planned(
            int slot,
            String from,
            String to,
            long rows,
            String size,
            List<String> servers,
            long seconds,
            boolean isBegun,
            List<String> obstacles) {

        private Planned(MovePlan it) {
            this(
                    it.slot(),
                    it.from(),
                    it.to(),
                    it.rows(),
                    kib(it.bytes()),
                    it.servers(),
                    it.estimate().toSeconds(),
                    it.isBegun(),
                    it.obstacles());
        }
    }

    private static String kib(long bytes) {
        return "%,d KiB".formatted(bytes >> 10);
    }

    /** Those of an application; nothing is connected yet. */
    public static DividedSlots of(Settings settings, String instance) {
        int slots = settings.get(StoreKeys.SLOTS);
        if (slots < 2) {
            throw new RefusedStartException(
                    List.of("the rows are not divided: store.slots is 1 (docs/guide/places.md)"));
        }
        return new DividedSlots(ApplicationDatabase.of(settings, instance).sites(), slots);
    }

    /** How many there are. */
    public int count() {
        return count;
    }

    /** All of them. */
    public List<Slot> all() {
        return asked(() -> SlotEntry.all(sites, count).stream().map(Slot::new).toList());
    }

    /**
     * What a move would do.
     *
     * @param again whether its new place has lost it
     */
    public Planned plan(int slot, String to, boolean again) {
        SlotMove move = move(slot, words -> {});
        return asked(() -> new Planned(again ? move.planAgain(to) : move.plan(to)));
    }

    /**
     * Moves one.
     *
     * @param again whether its new place has lost it
     * @param by who wants that
     * @param told how far it is, line by line
     * @return what was done, in words
     */
    public String move(int slot, String to, boolean again, String by, Consumer<String> told) {
        SlotMove move = move(slot, told);
        return asked(() -> again ? move.again(to, by) : move.run(to, by));
    }

    /**
     * Takes a move back.
     *
     * @return what was done, in words
     */
    public String abandon(int slot) {
        return asked(() -> move(slot, words -> {}).abandon());
    }

    private SlotMove move(int slot, Consumer<String> told) {
        return new SlotMove(
                sites,
                slot,
                InstantSource.system(),
                () -> UUID.randomUUID().toString(),
                new Told(told));
    }

    /** What can't be done is thrown as a start would. */
    static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (RefusedException e) {
            throw new RefusedStartException(List.of(String.valueOf(e.getMessage())));
        } catch (UnavailableException e) {
            throw new UnreachableException(String.valueOf(e.getMessage()));
        }
    }

    /** Puts into lines how far a move is. */
    private record Told(Consumer<String> lines) implements SlotMove.Progress {

        @Override
        public void done(SlotMove.Step step, String words) {
            lines.accept(words);
        }

        @Override
        public void copied(long rows) {
            if (rows % TOLD_EACH == 0) {
                lines.accept("%,d rows copied".formatted(rows));
            }
        }
    }
}
