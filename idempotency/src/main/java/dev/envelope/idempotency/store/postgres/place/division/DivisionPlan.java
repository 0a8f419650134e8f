package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.idempotency.store.postgres.place.MovePlan;
import dev.envelope.idempotency.store.postgres.place.SlotEntry;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas;
import dev.envelope.idempotency.store.postgres.place.division.UndividedRows.Stage;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.CitusSchema;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a division would do.
 *
 * @param schema that is divided, under its present name
 * @param slots where each of them will be, by their numbers
 * @param rows of all tables, as far as the server's statistics know
 * @param bytes on disk, with indexes
 * @param next what the command would do now
 * @param obstacles why it can't; empty if it can
 * @param waits what the last step would wait for
 */
public record DivisionPlan(
        String schema,
        List<String> slots,
        long rows,
        long bytes,
        String next,
        List<String> obstacles,
        List<String> waits) {

    public DivisionPlan {
        slots = List.copyOf(slots);
        obstacles = List.copyOf(obstacles);
        waits = List.copyOf(waits);
    }

    static DivisionPlan of(UndividedRows undivided, Connection from, DividedPlaces places)
            throws SQLException {
        Stage stage = undivided.stage();
        String present =
                stage == Stage.DIVIDING
                        ? undivided.hidden()
                        : stage == Stage.DIVIDED ? undivided.left() : undivided.schema();
        SlotEntry.Size size = SlotEntry.Size.of(new Statements(from, ""), present);
        List<String> obstacles = obstacles(undivided, from, places);
        List<String> waits = new ArrayList<>();
        if (stage == Stage.UNDIVIDED && obstacles.isEmpty()) {
            undivided.live().ifPresent(it -> waits.add("processes that run: " + it));
            undivided.unsent(undivided.schema()).ifPresent(waits::add);
        }
        List<String> slots = new ArrayList<>();
        int count = places.all().stream().mapToInt(it -> it.slots().size()).sum();
        for (int slot = 0; slot < count; slot++) {
            slots.add(
                    places.of(slot).site().place()
                            + " "
                            + SlotSchemas.of(undivided.schema(), slot));
        }
        return new DivisionPlan(
                present,
                slots,
                size.rows(),
                size.bytes(),
                switch (stage) {
                    case DIVIDING -> "the last step would be gone on with";
                    case UNDIVIDED -> "the rows would be copied, while processes run";
                    case DIVIDED, NONE -> "nothing would be done";
                },
                obstacles,
                waits);
    }

    private static List<String> obstacles(
            UndividedRows undivided, Connection from, DividedPlaces places) throws SQLException {
        List<String> obstacles = new ArrayList<>();
        List<String> names = undivided.names();
        if (names.isEmpty()) {
            obstacles.add(
                    "%s has no schema %s with rows"
                            .formatted(undivided.site().place(), undivided.schema()));
        } else if (names.equals(List.of(undivided.left()))) {
            obstacles.add("the rows of " + undivided.schema() + " were divided already");
        } else if (names.size() > 1) {
            obstacles.add(
                    "%s has the schemas %s: one of them has to go"
                            .formatted(
                                    undivided.site().place(),
                                    names.stream().sorted().collect(Collectors.joining(" and "))));
        } else {
            new Migrator(undivided.site().settings(), undivided.site().owner())
                    .obstacle(from, names.get(0))
                    .ifPresent(obstacles::add);
        }
        if (SlotSchemas.isTooLong(SlotSchemas.of(undivided.schema(), 0))) {
            obstacles.add("the name of the schema is too long for those that slots have");
        }
        for (DividedPlace place : places.all()) {
            MovePlan.requireCreate(place.site(), new Statements(place.connection(), ""), obstacles);
            if (CitusSchema.isCitus(place.connection())) {
                obstacles.add(place.site().place() + ": rows are not divided on Citus");
            }
            if (!names.contains(undivided.hidden())) {
                for (int slot : place.slots()) {
                    if (place.isNamed(slot) && !place.isOfDivision(slot)) {
                        obstacles.add(
                                "%s: there is a schema %s with tables"
                                        .formatted(
                                                place.site().place(),
                                                SlotSchemas.of(undivided.schema(), slot)));
                    }
                }
            }
        }
        return obstacles;
    }
}
