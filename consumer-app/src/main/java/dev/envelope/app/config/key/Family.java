package dev.envelope.app.config.key;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Settings that share a prefix; the rest of their names is up to the user.
 *
 * @param prefix with its dot
 * @param rest what the rest of a name is called, such as {@code field}
 * @param syntax what the rest of a name may be
 * @param rule the same in words
 * @param example a name and a value that are allowed
 */
public record Family(
        String prefix,
        String rest,
        Pattern syntax,
        String rule,
        Group group,
        String meaning,
        String example) {

    /** The state's fields of the built-in handler {@code fold}. */
    public static final Family FOLD =
            new Family(
                    "handler.fold.",
                    "field",
                    Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*"),
                    "a letter from A to Z, a to z or _, then letters, digits, _ and -",
                    Group.HANDLE,
                    "A field of the state and the expression that folds messages into it; only with"
                            + " handler=fold.",
                    "handler.fold.balance=sum(/amount)");

    /** The configuration of a user's own handler. */
    public static final Family HANDLER_CONFIG =
            anything(
                    "handler.config.",
                    Group.HANDLE,
                    "Passed to a handler of your own, without the prefix.",
                    "handler.config.currency=EUR");

    /** The headers of requests of the built-in handler {@code http}. */
    public static final Family HTTP_HEADER =
            new Family(
                    "handler.http.header.",
                    "header",
                    Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+"),
                    "letters, digits and -",
                    Group.HANDLE,
                    "A header of each request of handler=http.",
                    "handler.http.header.Authorization=${env:PAYMENTS_TOKEN}");

    /** The configuration of a user's own key deserializer. */
    public static final Family KEY_DESERIALIZER =
            anything(
                    "key.deserializer.",
                    Group.READ,
                    "Passed to the deserializer that key.format names, without the prefix.",
                    "key.deserializer.schema.registry.url=http://localhost:8081");

    /** The configuration of a user's own value deserializer. */
    public static final Family VALUE_DESERIALIZER =
            anything(
                    "value.deserializer.",
                    Group.READ,
                    "Passed to the deserializer that value.format names, without the prefix.",
                    "value.deserializer.schema.registry.url=http://localhost:8081");

    /** The databases that have slots, beside that of {@code store.url}. */
    public static final Family PLACE =
            ofPlaces(
                    "store.place.",
                    "Another database that has slots (store.slots), with the same user and password."
                            + " store.url has those that no other has; it is the place main.",
                    "store.place.b=jdbc:postgresql://db-b:5432/postgres");

    /** Which slots these have. */
    public static final Family PLACE_SLOTS =
            ofPlaces(
                    "store.slots.",
                    "The slots that are in the database of that name.",
                    "store.slots.b=2-3");

    /** All of them. */
    public static final List<Family> ALL =
            List.of(
                    KEY_DESERIALIZER,
                    VALUE_DESERIALIZER,
                    FOLD,
                    HANDLER_CONFIG,
                    HTTP_HEADER,
                    PLACE,
                    PLACE_SLOTS);

    private static Family ofPlaces(String prefix, String meaning, String example) {
        return new Family(
                prefix,
                "place",
                Pattern.compile("[a-z][a-z0-9_-]{0,30}"),
                "a small letter, then small letters, digits, _ and -",
                Group.STORE,
                meaning,
                example);
    }

    private static Family anything(String prefix, Group group, String meaning, String example) {
        return new Family(
                prefix, "name", Pattern.compile("\\S+"), "no blanks", group, meaning, example);
    }

    /** Whether a key belongs to it. */
    public boolean has(String key) {
        return key.startsWith(prefix);
    }

    /** The part of a key's name after the prefix. */
    public String restOf(String key) {
        return key.substring(prefix.length());
    }
}
