package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.READ;
import static dev.envelope.app.config.key.Key.Trait.MATTERS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.value.Types.oneOf;
import static dev.envelope.app.config.value.Types.text;

/** The settings of a table that is read in place of topics. */
public final class TableKeys {

    /** Where messages come from. */
    public enum Source {
        /** Topics. */
        KAFKA,
        /** The rows of a table in the database of the states. */
        TABLE
    }

    static final Keys KEYS = new Keys(READ);

    public static final Key<Source> SOURCE =
            KEYS.add("source", oneOf(Source.class), "kafka")
                    .is(MATTERS, OF_ROWS)
                    .means(
                            "Where messages come from: topics (kafka), or the rows of a table in the"
                                    + " database of store.url (table), which are done in the"
                                    + " transaction that saves their effect. With a table no broker"
                                    + " is needed, and slots divide it (1 if slots is not set).");

    public static final Key<String> NAME =
            KEYS.add("table.name", text())
                    .is(OF_ROWS)
                    .example("public.adjustments")
                    .means(
                            "The table, with source=table, and its schema, if that is not public:"
                                    + " its rows are the messages. store.user needs SELECT and DELETE"
                                    + " on it.");

    public static final Key<String> KEY =
            KEYS.add("table.key", text())
                    .is(OF_ROWS)
                    .example("account")
                    .means("The column whose text is the message's key; it must be NOT NULL.");

    public static final Key<String> ID =
            KEYS.add("table.id", text())
                    .is(OF_ROWS)
                    .example("id")
                    .means(
                            "The column that names a row, with a unique index. The rows of a key are"
                                    + " applied in its order, as far as they are there. An index on"
                                    + " table.key and table.id keeps reading cheap.");

    public static final Key<String> VALUE =
            KEYS.add("table.value", text())
                    .orElse("the whole row as JSON")
                    .is(OF_ROWS)
                    .example("body")
                    .means("The column that is the message's value: json, text or bytea.");

    public static final Key<String> WHERE =
            KEYS.add("table.where", text())
                    .is(OF_ROWS)
                    .example("kind = 'payment'")
                    .means("A condition in SQL that a row must fulfil to be read.");

    public static final Key<String> TIME =
            KEYS.add("table.time", text())
                    .orElse("when it is read")
                    .is(OF_ROWS)
                    .example("created_at")
                    .means("The column with the message's time.");

    public static final Key<String> DONE =
            KEYS.add("table.done", text())
                    .orElse("the row is deleted")
                    .is(OF_ROWS)
                    .example("done_at")
                    .means(
                            "The column that says that a row is done, if rows are to stay: a boolean,"
                                    + " set to true, or a timestamp. store.user then needs UPDATE on"
                                    + " it, and not DELETE.");

    public static final Key<String> SLOT =
            KEYS.add("table.slot", text())
                    .orElse("a key that is a whole number, or the CRC-32 of its text")
                    .is(OF_ROWS)
                    .example("slot")
                    .means(
                            "The column with a whole number for each key, the same for all of its rows,"
                                    + " that divides the table: slot i has the rows with remainder i."
                                    + " Needed for several slots before Postgres 18, unless keys are"
                                    + " whole numbers.");

    public static final Key<String> NOTIFY =
            KEYS.add("table.notify", text())
                    .orElse("new rows are looked for, every 5 to 500 ms")
                    .is(OF_ROWS)
                    .example("adjustments")
                    .means("The channel on which a trigger notifies of new rows.");

    private TableKeys() {}
}
