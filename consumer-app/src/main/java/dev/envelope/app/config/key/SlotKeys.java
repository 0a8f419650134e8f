package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.READ;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.oneOf;

import java.time.Duration;

/** The settings that say who reads which partition. */
public final class SlotKeys {

    /** Who divides the partitions. */
    public enum Assignment {
        /** Kafka's coordinator of the group. */
        GROUP,
        /** Locks in the database. */
        SLOTS
    }

    static final Keys KEYS = new Keys(READ);

    public static final Key<Assignment> ASSIGNMENT =
            KEYS.add("assignment", oneOf(Assignment.class), "group")
                    .is(OF_ROWS)
                    .means(
                            "Who divides the partitions: the consumer group, or slots: a process"
                                    + " takes a number below slots by a lock in the database, and reads"
                                    + " the partitions with that remainder, of all topics. Change it"
                                    + " only when all processes are stopped.");

    public static final Key<Integer> SLOTS =
            KEYS.add("slots", wholeNumber(1, 4096))
                    .is(OF_ROWS)
                    .example("4")
                    .means(
                            "How many slots there are, with assignment=slots. Each has to be held for"
                                    + " all partitions to be read; processes beyond that wait, and take"
                                    + " over. The first start stores it, and a start with another"
                                    + " number is refused, unless slots.from is the stored one.");

    public static final Key<Integer> SLOTS_FROM =
            KEYS.add("slots.from", wholeNumber(1, 4096))
                    .is(OF_ROWS)
                    .example("2")
                    .means(
                            "How many slots there were before slots, to change their number while"
                                    + " processes run: there are that many until all processes that are"
                                    + " present know the new number.");

    public static final Key<Integer> SLOTS_PER_PROCESS =
            KEYS.add("slots.per.process", wholeNumber(1, 4096), "1")
                    .is(OF_ROWS)
                    .means(
                            "How many slots a process takes at most. It gives none up for others while"
                                    + " it runs.");

    public static final Key<Duration> SLOTS_TIMEOUT =
            KEYS.add("slots.timeout", duration("1s", "10m"), "10s")
                    .is(OF_ROWS)
                    .means(
                            "How long a process that holds slots may be frozen or cut off before the"
                                    + " database gives them to others. One that ends or is killed gives"
                                    + " them up at once.");

    private SlotKeys() {}
}
