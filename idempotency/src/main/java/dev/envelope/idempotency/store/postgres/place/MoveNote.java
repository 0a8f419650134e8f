package dev.envelope.idempotency.store.postgres.place;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is written about a move, as the comment of a schema: for people, and for programs.
 *
 * @param place where the slot is moved to or, in its new schema, came from
 * @param by who has begun the move
 * @param token tells this move from others of the same slot
 */
public record MoveNote(Kind kind, String place, Instant since, String by, String token) {

    private static final Pattern TEXT =
            Pattern.compile(
                    "envelope: (is moved|was moved|came) (?:to|from) (\\S+) (\\S+) by (.*) \\[(.+)]");

    private static final String AGAIN = "again ";

    /** What has become of the slot. */
    public enum Kind {
        /** Its schema has another name until it is elsewhere. */
        MOVING("is moved to"),
        /** It is elsewhere, and this is a copy that nobody uses. */
        MOVED("was moved to"),
        /** It came from elsewhere. */
        CAME("came from");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** The token of a move from the copy that an earlier one has left. */
    static String again(Instant left, String token) {
        return AGAIN + left + " " + token;
    }

    /** When the copy was left that is moved; null if what is moved was in use. */
    @Nullable Instant left() {
        return token.startsWith(AGAIN) ? Instant.parse(token.split(" ", 3)[1]) : null;
    }

    /** The same of another kind, place and time. */
    MoveNote as(Kind other, String otherPlace, Instant at) {
        return new MoveNote(other, otherPlace, at, by, token);
    }

    /** Null if the comment is no note. */
    static @Nullable MoveNote parse(@Nullable String comment) {
        Matcher text = TEXT.matcher(comment == null ? "" : comment);
        if (!text.matches()) {
            return null;
        }
        Kind kind =
                switch (text.group(1)) {
                    case "is moved" -> Kind.MOVING;
                    case "was moved" -> Kind.MOVED;
                    default -> Kind.CAME;
                };
        try {
            MoveNote note =
                    new MoveNote(
                            kind,
                            text.group(2),
                            Instant.parse(text.group(3)),
                            text.group(4),
                            text.group(5));
            @Nullable Instant ignored = note.left();
            return note;
        } catch (DateTimeParseException e) { // somebody has edited it
            return null;
        }
    }

    /** As a literal of SQL. */
    String quoted() {
        return "'" + toString().replace("'", "''") + "'";
    }

    @Override
    public String toString() {
        return "envelope: %s %s %s by %s [%s]".formatted(kind.words, place, since, by, token);
    }
}
