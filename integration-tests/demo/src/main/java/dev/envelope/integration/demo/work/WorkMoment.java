package dev.envelope.integration.demo.work;

import dev.envelope.core.api.Words;
import dev.envelope.integration.demo.group.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A second of the demo, as the page and the terminal show it.
 *
 * <p>Threads: immutable.
 *
 * @param left seconds until the post office opens again
 * @param window letters that arrived, for each of the last seconds
 */
record WorkMoment(
        PostOffice.Books books,
        PostOffice.State office,
        long left,
        long waiting,
        List<Long> window,
        List<Member> members,
        List<String> sentences) {

    static final WorkMoment NONE =
            new WorkMoment(
                    new PostOffice.Books(0, 0, 0, List.of()),
                    PostOffice.State.OPEN,
                    0,
                    0,
                    List.of(),
                    List.of(),
                    List.of());

    private static final int WINDOW = 60;
    private static final String WRONG = "WRONG: ";

    /** The second after this one. */
    WorkMoment next(
            PostOffice.Books after,
            PostOffice.State office,
            long left,
            long written,
            List<Member> members) {
        List<Long> last = new ArrayList<>(window);
        last.add(after.letters() - books.letters());
        if (last.size() > WINDOW) {
            last.remove(0);
        }
        long waiting = Math.max(0, written - after.letters() - after.refused());
        return new WorkMoment(
                after,
                office,
                left,
                waiting,
                List.copyOf(last),
                members,
                sentences(after, office, left, members));
    }

    private static List<String> sentences(
            PostOffice.Books books, PostOffice.State office, long left, List<Member> members) {
        List<String> sentences = new ArrayList<>();
        sentences.add(
                switch (office) {
                    case OPEN -> "The post office takes letters.";
                    case BUSY ->
                            "The post office answers 503 for %d s more: all letters wait, and none has failed."
                                    .formatted(left);
                    case AWAY ->
                            "The post office can't be reached for %d s more: all letters wait, and none has failed."
                                    .formatted(left);
                });
        members.stream()
                .filter(it -> it.state() == Member.State.DEAD)
                .forEach(
                        it ->
                                sentences.add(
                                        "Instance %d is dead; after its session of six seconds the other one has its partitions."
                                                .formatted(it.number())));
        if (!books.wrong().isEmpty()) {
            sentences.add(WRONG + String.join("; ", books.wrong()));
        }
        return sentences;
    }

    /** For the terminal. */
    String line() {
        return "%,6d letters a second, %,d wait, %,d in all, %,d of them again, %,d refused; the post office is %s"
                .formatted(
                        window.isEmpty() ? 0 : window.get(window.size() - 1),
                        waiting,
                        books.letters() + books.repeats(),
                        books.repeats(),
                        books.refused(),
                        office.name().toLowerCase(Locale.ROOT));
    }

    /** What was proved, once all letters are there. */
    static String proof(PostOffice.Books books, long deadLetters) {
        if (!books.wrong().isEmpty()) {
            return WRONG + String.join("; ", books.wrong());
        } else if (deadLetters != books.refused()) {
            return WRONG
                    + "%d letters were refused, and %d are in the dead-letter topic"
                            .formatted(books.refused(), deadLetters);
        }
        return "All %s have arrived, those to a person in their order; %,d came again%s."
                .formatted(
                        Words.count(books.letters(), "letter"),
                        books.repeats(),
                        books.refused() == 0
                                ? ""
                                : "; "
                                        + Words.counted(
                                                books.refused(),
                                                "was refused and is in the dead-letter topic",
                                                "were refused and are in the dead-letter topic"));
    }

    static boolean isRight(String proof) {
        return !proof.startsWith(WRONG);
    }
}
