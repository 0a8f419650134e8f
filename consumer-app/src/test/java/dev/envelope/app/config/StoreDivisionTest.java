package dev.envelope.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.StoreDivision.Place;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.Types;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What settings would say of slots that were moved. */
class StoreDivisionTest {

    private static Place place(String name, Integer... slots) throws BadValueException {
        return new Place(
                name,
                Types.jdbcUrl().parse("jdbc:postgresql://" + name + "/db"),
                new TreeSet<>(List.of(slots)));
    }

    private static final List<String> ALL_AT_B = List.of("b", "b", "b", "b");

    private static StoreDivision asSet() throws BadValueException {
        return new StoreDivision(List.of(place("main", 0, 1), place("b", 2), place("c", 3)));
    }

    @Test
    void nothingHasToBeOtherwiseWhereSlotsAreAsSet() throws BadValueException {
        assertThat(asSet().differingFrom(asSet())).isEmpty();
    }

    @Test
    void theLinesOfPlacesWithOtherSlotsAreNamed() throws BadValueException {
        assertThat(asSet().with(List.of("main", "b", "b", "b")).differingFrom(asSet()))
                .containsExactly("store.slots.b=1-3", "no store.slots.c");
    }

    /** Settings that leave none to the place of store.url are refused. */
    @Test
    void whereThePlaceOfTheUrlHasNoneLeftAnotherOneTakesItsPart() throws BadValueException {
        assertThat(asSet().with(ALL_AT_B).differingFrom(asSet()))
                .containsExactly(
                        "store.url to that of b, without store.place.b and store.slots.b",
                        "no store.slots.c");
    }
}
