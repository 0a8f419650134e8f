package dev.envelope.idempotency.store.postgres.place.division;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is written about the schema of a slot, as its comment.
 *
 * @param count of all slots
 * @param copy tells the copy that has filled all slots; null until they are counted
 * @param words who divides and since when
 * @param token of the run whose schema it is
 */
record DivisionNote(int slot, int count, @Nullable String copy, String words, String token) {

    private static final Pattern TEXT =
            Pattern.compile(
                    "envelope: slot ([0-9]+) of ([0-9]+),(?: filled (\\S+),)? (.*) \\[(.+)]");

    /** Null if the comment is no note. */
    static @Nullable DivisionNote parse(@Nullable String comment) {
        Matcher text = TEXT.matcher(comment == null ? "" : comment);
        return text.matches()
                ? new DivisionNote(
                        Integer.parseInt(text.group(1)),
                        Integer.parseInt(text.group(2)),
                        text.group(3),
                        text.group(4),
                        text.group(5))
                : null;
    }

    @Override
    public String toString() {
        return "envelope: slot %d of %d,%s %s [%s]"
                .formatted(slot, count, copy == null ? "" : " filled " + copy + ",", words, token);
    }
}
