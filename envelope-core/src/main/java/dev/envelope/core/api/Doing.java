package dev.envelope.core.api;

import java.util.Set;

/** What a key is doing or waits for: first the steps in their order, then the reasons to wait. */
public enum Doing {
    QUEUED("waits in its mailbox for a worker"),
    LOADING("its row is being loaded"),
    FOLDING("the handler is at work"),
    SAVING("its row is being saved"),
    SLOW("the handler has been at one message for longer than a turn may take"),
    RETRYING("failed, and waits for its next attempt"),
    LOCKED("another session of the database holds a lock on its row"),
    NO_ROOM("waits until it may be folded, or put out: too many dead letters or outputs wait"),
    DECODER_OUT("waits for a service that its decoder or its handler calls"),
    UNCLEAR("its value can't be decoded, for an unclear reason: it is tried again"),
    OTHER_VERSION("its state was written by another version of the handler: it waits for that"),
    DAMAGED("its state in the row can't be read by any version: set or delete it"),
    NEW_TO_SLOT("waits: its slot has to be told of a new partition, which can't be done now"),
    SLOT_AWAY("waits: its slot is being moved, or was away when this process started"),
    PAUSED("waits: an operator has paused it"),
    OVER_RATE("waits: it has had more messages than key.max.rate allows"),
    CALLS_OVER_RATE("waits: its handler may not call what it calls more often"),
    STORE_OUT("waits for the database, which did not take or give its row"),
    SUPERSEDED("the database was restarted or failed over: positions are being looked for anew"),
    STOPPED("has failed for the last time, which stopped its partition");

    /** Reasons to wait for something other than the broker and the database. */
    public static final Set<Doing> WAITS_FOR_OTHERS =
            Set.of(DECODER_OUT, UNCLEAR, OTHER_VERSION, DAMAGED);

    /** Reasons to wait that a handler can report; no attempt is counted. */
    public static final Set<Doing> WAITS =
            Set.of(
                    LOCKED,
                    NO_ROOM,
                    DECODER_OUT,
                    UNCLEAR,
                    OTHER_VERSION,
                    DAMAGED,
                    NEW_TO_SLOT,
                    SLOT_AWAY,
                    CALLS_OVER_RATE);

    private final String words;

    Doing(String words) {
        this.words = words;
    }

    /** The rest of a sentence that begins with the key. */
    public String words() {
        return words;
    }
}
