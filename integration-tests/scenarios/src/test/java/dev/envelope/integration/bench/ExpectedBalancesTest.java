package dev.envelope.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.bench.client.Balance;
import dev.envelope.integration.bench.client.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExpectedBalancesTest {

    private static final int RECORDS = 500;

    private final Workload workload = Workload.of("7", RECORDS);
    private final ExpectedBalances expected = new ExpectedBalances(workload);

    @Test
    void rowsThatAddUpToEveryRecordAreRight() {
        assertThat(fault(rows(RECORDS), RECORDS)).isEmpty();
    }

    @Test
    void afterARunThatWasCutShortAnyPrefixOfAKeyIsRightIfItIsLongEnough() {
        assertThat(fault(rows(300), 300)).isEmpty();
        assertThat(fault(rows(300), 301)).contains("300 records are in rows, not 301");
    }

    @Test
    void aRowThatIsMissingIsNoticed() {
        List<ExpectedBalances.Row> rows = rows(RECORDS);
        rows.remove(3);
        assertThat(fault(rows, RECORDS)).get().asString().contains("records are in rows");
    }

    @Test
    void aRowThatNobodyHasBookedOnIsNoticedAndOneThatComesTwice() {
        List<ExpectedBalances.Row> rows = rows(RECORDS);
        rows.add(new ExpectedBalances.Row(Workload.account(8), 0, 1, null, null));
        assertThat(fault(rows, RECORDS)).get().asString().contains("should not be");

        List<ExpectedBalances.Row> twice = rows(RECORDS);
        twice.add(twice.get(0));
        assertThat(fault(twice, RECORDS)).get().asString().contains("should not be");
    }

    @Test
    void aDoubledAndALostRecordAreNoticedThoughTheirNumberIsRight() {
        List<Integer> records = recordsOf(0);
        records.set(4, records.get(3));
        assertThat(fault(List.of(row(0, records)), 0)).get().asString().contains("has balance");
    }

    @Test
    void moreBookingsThanThereAreRecordsAreNoticed() {
        List<Integer> records = recordsOf(0);
        records.add(records.get(0));
        assertThat(fault(List.of(row(0, records)), 0)).get().asString().contains("bookings");
    }

    @Test
    void anotherOrderOfTheSameBookingsIsNoticed() {
        List<Integer> records = recordsOf(0);
        records.set(3, records.set(4, records.get(3)));
        assertThat(fault(List.of(row(0, records)), 0)).get().asString().contains("another order");

        List<Integer> atTheEnd = recordsOf(0);
        int last = atTheEnd.size() - 1;
        atTheEnd.set(last, atTheEnd.set(last - 1, atTheEnd.get(last)));
        assertThat(fault(List.of(row(0, atTheEnd)), 0)).get().asString().contains("ends with");
    }

    @Test
    void whatIsNotKeptIsNotAskedFor() {
        ExpectedBalances.Row kept = row(0, recordsOf(0));
        ExpectedBalances.Row folded =
                new ExpectedBalances.Row(kept.account(), kept.balance(), kept.count(), null, null);
        assertThat(fault(List.of(folded), 0)).isEmpty();
    }

    private Optional<String> fault(List<ExpectedBalances.Row> rows, long durable) {
        ExpectedBalances.Look look = expected.look();
        return rows.stream()
                .map(look::at)
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> look.end(durable));
    }

    /** What the first so many records add up to. */
    private List<ExpectedBalances.Row> rows(int records) {
        List<ExpectedBalances.Row> rows = new ArrayList<>();
        for (int key = 0; key < workload.keys(); key++) {
            rows.add(row(key, recordsOf(key).stream().filter(it -> it < records).toList()));
        }
        return rows;
    }

    private List<Integer> recordsOf(int key) {
        return new ArrayList<>(
                IntStream.range(0, RECORDS)
                        .filter(record -> workload.keyOf(record) == key)
                        .boxed()
                        .toList());
    }

    private ExpectedBalances.Row row(int key, List<Integer> records) {
        long balance = 0;
        long hash = 0;
        for (int record : records) {
            balance += workload.amountOf(record);
            hash = Balance.next(hash, record);
        }
        return new ExpectedBalances.Row(
                Workload.account(key),
                balance,
                records.size(),
                (long) records.get(records.size() - 1),
                hash);
    }
}
