package dev.envelope.integration.demo.payments;

import dev.envelope.integration.demo.group.Member;
import dev.envelope.integration.demo.group.SlowDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What goes on, for somebody who has never seen it.
 *
 * <p>Threads: stateless.
 */
final class Sentences {

    private static final int BURST = 3;
    private static final double SHARED = 1.5;

    private Sentences() {}

    /** What comes in, what becomes of it, who does it; then what is out of the ordinary. */
    static List<String> of(Moment moment) {
        List<String> sentences = new ArrayList<>();
        sentences.add(arrives(moment));
        sentences.add(becomes(moment.second()));
        sentences.add(works(moment));
        if (moment.slowSeconds() > 0) {
            sentences.add(
                    format(
                            "The database is slow for another %d s: every packet to it and from it"
                                    + " takes %d ms longer. What arrives meanwhile makes the"
                                    + " envelopes larger.",
                            moment.slowSeconds(), SlowDatabase.DELAY.toMillis()));
        }
        moment.frozen().ifPresent(it -> sentences.add(frozen(it)));
        return List.copyOf(sentences);
    }

    /** The same for a line of a terminal. */
    static String line(Moment moment) {
        Second second = moment.second();
        return format(
                "%,9d payments/s %,8d writes/s  %7.1f payments per write  lag %,8d"
                        + "  oldest unacked %,6d ms%s",
                second.saved(),
                second.writes(),
                second.perWrite(),
                moment.waiting(),
                moment.oldestUnackedMillis(),
                mood(moment));
    }

    private static String mood(Moment moment) {
        StringBuilder mood = new StringBuilder();
        if (isBurst(moment)) {
            mood.append("  burst");
        }
        if (moment.resting()) {
            mood.append("  rest");
        }
        if (moment.slowSeconds() > 0) {
            mood.append("  slow database");
        }
        moment.members().stream()
                .filter(it -> it.state() == Member.State.DEAD)
                .forEach(it -> mood.append("  instance ").append(it.number()).append(" is dead"));
        moment.frozen().ifPresent(it -> mood.append("  frozen: ").append(it.key()));
        return mood.toString();
    }

    private static boolean isBurst(Moment moment) {
        return moment.second().sent() > (long) BURST * moment.rate();
    }

    private static String arrives(Moment moment) {
        if (moment.resting()) {
            return "A rest: nothing is sent for a moment, so that the rows can be compared with"
                    + " what was sent.";
        }
        return format(
                "%s: %,d payments arrived in the last second.",
                isBurst(moment) ? "A burst" : "Quiet", moment.second().sent());
    }

    private static String becomes(Second second) {
        if (second.writes() == 0) {
            return "Nothing was saved in the last second.";
        }
        return format(
                "%,d payments became %,d writes: %.1f payments a write%s.",
                second.saved(),
                second.writes(),
                second.perWrite(),
                second.perWrite() < SHARED
                        ? ", as little waits that a write could take along"
                        : "");
    }

    private static String works(Moment moment) {
        List<Member> working = having(moment, Member.State.WORKS);
        List<Member> dead = having(moment, Member.State.DEAD);
        String shares =
                working.stream()
                        .map(it -> "instance " + it.number() + " has " + partitions(it))
                        .collect(Collectors.joining(", "));
        if (!dead.isEmpty()) {
            return format(
                    "%s %s dead, as after a power cut, and will be started again. %sWhat was not"
                            + " saved is read again; what was saved does not count twice.",
                    capital(names(dead)),
                    dead.size() == 1 ? "is" : "are",
                    shares.isEmpty() ? "" : capital(shares) + ". ");
        }
        List<Member> starting = having(moment, Member.State.STARTS);
        if (!starting.isEmpty()) {
            return capital(names(starting))
                    + (starting.size() == 1 ? " starts" : " start")
                    + (shares.isEmpty() ? "." : "; " + shares + ".");
        }
        return "Both instances share the partitions: "
                + working.stream()
                        .map(it -> Integer.toString(it.partitions()))
                        .collect(Collectors.joining(" and "))
                + ".";
    }

    private static String partitions(Member member) {
        return member.partitions() == 1 ? "1 partition" : member.partitions() + " partitions";
    }

    private static List<Member> having(Moment moment, Member.State state) {
        return moment.members().stream().filter(it -> it.state() == state).toList();
    }

    private static String names(List<Member> members) {
        return members.stream()
                .map(it -> "instance " + it.number())
                .collect(Collectors.joining(" and "));
    }

    private static String capital(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    private static String frozen(Moment.Frozen frozen) {
        return format(
                "%s is frozen: its poison message can't be read, and was set aside with its bytes."
                        + " %,d more of its messages wait behind it, in order. All other accounts go"
                        + " on. When it is skipped, those that wait are added up.",
                frozen.key(), Math.max(0, frozen.messages() - 1));
    }

    private static String format(String words, Object... values) {
        return String.format(Locale.ROOT, words, values);
    }
}
