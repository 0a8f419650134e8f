package dev.envelope.integration.demo.payments;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What was sent beside what the database has, account by account, at a moment in which nothing was
 * under way.
 *
 * <p>Threads: immutable.
 *
 * @param parked payments that wait behind a poison message
 * @param different accounts for which rows and parked messages together are not what was sent
 */
record Comparison(
        PaymentSum sent, PaymentSum rows, PaymentSum parked, int accounts, Set<String> different) {

    static Comparison of(
            Map<String, PaymentSum> sent,
            Map<String, PaymentSum> rows,
            Map<String, PaymentSum> parked) {
        Set<String> keys = new TreeSet<>(sent.keySet());
        keys.addAll(rows.keySet());
        keys.addAll(parked.keySet());
        Set<String> different = new TreeSet<>(keys);
        different.removeIf(key -> of(sent, key).equals(of(rows, key).plus(of(parked, key))));
        return new Comparison(total(sent), total(rows), total(parked), keys.size(), different);
    }

    boolean isEqual() {
        return different.isEmpty();
    }

    String inWords() {
        if (!isEqual()) {
            return String.format(
                    Locale.ROOT,
                    "%,d of %,d accounts are not what was sent, %s for one. Were parked messages"
                            + " dropped or edited?",
                    different.size(),
                    accounts,
                    List.copyOf(different).get(0));
        }
        String waiting =
                parked.payments() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                " (%,d of them wait behind a poison message)",
                                parked.payments());
        return String.format(
                Locale.ROOT,
                "All %,d payments that the broker has acknowledged are there exactly once, to the"
                        + " cent, in each of %,d accounts%s.",
                sent.payments(),
                accounts,
                waiting);
    }

    private static PaymentSum of(Map<String, PaymentSum> accounts, String key) {
        return accounts.getOrDefault(key, PaymentSum.NONE);
    }

    private static PaymentSum total(Map<String, PaymentSum> accounts) {
        return accounts.values().stream().reduce(PaymentSum.NONE, PaymentSum::plus);
    }
}
