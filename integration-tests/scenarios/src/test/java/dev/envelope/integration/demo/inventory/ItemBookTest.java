package dev.envelope.integration.demo.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.demo.inventory.ItemBook.Event;
import dev.envelope.integration.demo.inventory.ItemBook.Row;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ItemBookTest {

    private static final long HOLD = 3_000;

    private final ItemBook book = new ItemBook("tea");
    private long offset;

    @Test
    void whatIsRightIsNotReported() {
        sold();

        book.row(4, new Row(3, Map.of(), 2));
        book.event(new Event("delivered", "", 5, 5));
        book.event(new Event("reserved", "a", 2, 3));
        book.event(new Event("confirmed", "a", 2, 3));
        book.told("c1", new Event("reserved", "a", 2, 3));
        book.settled();

        assertThat(book.wrong()).isEmpty();
        assertThat(book.isAtRest()).isTrue();
    }

    @Test
    void aRowIsComparedAtTheOffsetOfItsMark() {
        sold();

        book.row(2, new Row(3, Map.of("a", 2L), 0));
        assertThat(book.wrong()).isEmpty();
        book.row(4, new Row(3, Map.of("a", 2L), 0));

        assertThat(book.wrong()).singleElement().asString().contains("at offset 4 the row is");
    }

    @Test
    void moreSoldThanDeliveredIsReported() {
        deliver(1);

        book.row(1, new Row(-1, Map.of(), 2));

        assertThat(book.wrong()).anyMatch(it -> it.contains("more are promised than there are"));
    }

    @Test
    void aRepeatedCommandCountsOnce() {
        deliver(5);
        log("c1", 0, "reserve", "a", 2);
        log("c1", 0, "reserve", "a", 2);

        book.row(3, new Row(3, Map.of("a", 2L), 0));

        assertThat(book.wrong()).isEmpty();
    }

    @Test
    void anotherEventThanExpectedIsReported() {
        deliver(5);
        book.row(1, new Row(5, Map.of(), 0));

        book.event(new Event("delivered", "", 5, 4));

        assertThat(book.wrong()).singleElement().asString().contains("has arrived, not");
    }

    @Test
    void anEventTwiceAndOneThatIsMissingAreReported() {
        deliver(5);
        book.row(1, new Row(5, Map.of(), 0));
        book.settled();
        assertThat(book.wrong()).singleElement().asString().contains("has not arrived");

        book.event(new Event("delivered", "", 5, 5));
        book.event(new Event("delivered", "", 5, 5));
        book.settled();

        assertThat(book.wrong()).anyMatch(it -> it.contains("came from nowhere"));
    }

    @Test
    void anotherAnswerThanTrueIsReportedWheneverItCame() {
        sold();
        book.told("c1", new Event("rejected", "a", 2, 0));
        book.row(4, new Row(3, Map.of(), 2));
        book.told("c2", new Event("not reserved", "a", 0, 3));

        assertThat(book.wrong()).hasSize(2).allMatch(it -> it.contains("was answered with"));
        assertThat(book.isOther("c1", new Event("reserved", "a", 2, 3))).isFalse();
        assertThat(book.isOther("c1", new Event("reserved", "a", 2, 2))).isTrue();
    }

    @Test
    void anAnswerToWhatIsNotInTheLogIsReported() {
        book.told("c9", new Event("reserved", "a", 1, 1));
        book.settled();

        assertThat(book.wrong()).singleElement().asString().contains("is not in the log");
    }

    @Test
    void aFiringBeforeItsTimeAndOneThatComesTwiceAreReported() {
        deliver(5);
        log("c1", 0, "reserve", "a", 2);
        fire("a", HOLD - 10);
        fire("a", HOLD + 10);

        book.row(4, new Row(5, Map.of(), 0));

        assertThat(book.wrong()).anyMatch(it -> it.contains("ms early"));
        assertThat(book.wrong()).anyMatch(it -> it.contains("has fired twice"));
    }

    @Test
    void aReservationThatDoesNotEndIsReported() {
        deliver(5);
        log("c1", 0, "reserve", "a", 2);
        book.row(2, new Row(3, Map.of("a", 2L), 0));

        assertThat(book.wrong()).isEmpty();
        log("c2", HOLD + 599_000, "reserve", "b", 1);
        book.row(3, new Row(2, Map.of("a", 2L, "b", 1L), 0));
        assertThat(book.wrong()).isEmpty();
        log("c3", HOLD + 601_000, "reserve", "c", 1);
        book.row(4, new Row(1, Map.of("a", 2L, "b", 1L, "c", 1L), 0));

        assertThat(book.wrong()).singleElement().asString().contains("reserved for ever");
    }

    @Test
    void aRowThatWasReadIsComparedAtTheOffsetOfItsMark() {
        sold();
        book.read(2, new Row(3, Map.of("a", 2L), 0), 1);
        book.row(4, new Row(3, Map.of(), 2));
        book.read(3, new Row(3, Map.of(), 2), 1);
        book.settled();
        assertThat(book.wrong()).noneMatch(it -> it.contains("read"));

        book.read(2, new Row(3, Map.of(), 2), 1);

        assertThat(book.wrong()).anyMatch(it -> it.contains("as of offset 2 the row was read as"));
    }

    @Test
    void aRowThatWasReadTooEarlyOrWasNeverSavedIsReported() {
        sold();
        book.row(4, new Row(3, Map.of(), 2));

        book.read(2, new Row(3, Map.of("a", 2L), 0), 2);
        assertThat(book.wrong()).singleElement().asString().contains("at least 2 was asked for");
        book.read(5, new Row(8, Map.of(), 2), 4);
        book.settled();

        assertThat(book.wrong()).anyMatch(it -> it.contains("was read, and never saved"));
    }

    private void sold() {
        deliver(5);
        log("c1", 0, "reserve", "a", 2);
        log("c2", 0, "confirm", "a", 0);
        fire("a", HOLD + 5); // of a timer that was cancelled too late to stay out of the log
    }

    private void deliver(long quantity) {
        log(null, 0, "deliver", "", quantity);
    }

    private void fire(String order, long at) {
        book.logged(new Entry(offset++, at, null, null, order, "1/1/0/0", "", "", 0, 0));
    }

    private void log(
            @Nullable String command, long at, String action, String order, long quantity) {
        book.logged(
                new Entry(
                        offset++, at, command, command, null, null, action, order, quantity, HOLD));
    }
}
