package dev.envelope.integration.simulation;

/** The kinds of trouble that a seed can have. */
enum Fault {
    // --- processes
    /** A process is killed, and started again a while later. */
    KILL,
    /** A process is closed in good order, and started again. */
    CLOSED,
    /** A process stands still, inside whatever it was doing. */
    FREEZE,
    /** A process does not poll for so long that the group takes its partitions. */
    LOST,
    /** Who does not have a partition any more saves a message of it. */
    ZOMBIE_SAVE,
    /** The group gives partitions to others. */
    REVOKE,
    /** The session that holds a process's slots breaks, or is ended since it was silent. */
    SLOT_LOST,
    /** Processes have another number of slots from now on. */
    SLOTS_CHANGED,
    /** Processes are replaced by such that have another version of the handler. */
    ROLLED,
    /** A key waits, for another version of the handler has written its row. */
    OTHER_VERSION,
    /** A key has waited for its time, and its partition stops. */
    IMPATIENT,

    /** A row is dropped from the rows at hand, for another. */
    EVICTED,

    // --- the database
    /** The store takes its time. */
    STORE_SLOW,
    /** The store does not answer, and has done nothing. */
    STORE_DOWN,
    /** The store has done it, and the reply is lost. */
    REPLY_LOST,
    /** The connection is cut, and nobody knows what becomes of the transaction. */
    CUT_BEFORE_COMMIT,
    /** It is committed after that, when others have gone on. */
    COMMITTED_LATE,
    /** A row is locked by a session outside. */
    ROW_LOCKED,
    /** Several rows of one save are locked, by whatever sessions. */
    ROWS_LOCKED,
    /** A session outside is inserting a key that has no row yet. */
    KEY_INSERTED,
    /** A session outside has locked the whole table. */
    TABLE_LOCKED,
    /** A constraint refuses a row, until it is lifted. */
    ROW_REFUSED,
    /** A statement takes longer than it may. */
    STATEMENT_TIMED_OUT,
    /** A session outside has written a row. */
    ROW_TOUCHED,
    /** The database is restarted. */
    RESTARTED,
    /** The database comes back as another server that lacks the last moments. */
    WENT_BACK,
    /** Of several places one goes back, and others don't. */
    PLACE_WENT_BACK,
    /** Of several places one does not answer for a while, and others do. */
    PLACE_DOWN,
    /** One of several places is away until all that is elsewhere is done. */
    WITHOUT_A_PLACE,
    /** A slot is moved to another place, while processes run. */
    SLOT_MOVED,
    /** A process starts while a place is away, and goes on without its slots. */
    PLACE_DOWN_AT_START,
    /** A move of a slot is taken back before it is done. */
    MOVE_TAKEN_BACK,
    /** A slot is told of a source. */
    INTRODUCED,
    /** The row of a deleted key is purged. */
    PURGED,
    /** What was applied to a purged row is read again. */
    PURGED_READ_AGAIN,

    // --- the broker and the logs
    /** The broker refuses a commit. */
    COMMIT_REFUSED,
    /** The broker does not say where logs begin and end. */
    BROKER_SILENT,
    /** A batch can't be read. */
    UNREADABLE,
    /** Retention removes records, read or not. */
    RETENTION,
    /** Compaction removes records that were superseded. */
    COMPACTED,
    /** Transactions' markers and aborted records: offsets without a message. */
    OFFSETS_SKIPPED,
    /** A log loses its end, and another is written in its place. */
    TRUNCATED,
    /** A topic is deleted and created again. */
    RECREATED,
    /** A topic gets more partitions, and producers learn of it late. */
    GROWN,
    /** An operator moves the group's offsets back. */
    MOVED_BACK,
    /** The same, to below where reading began. */
    MOVED_BELOW_START,
    /** An operator moves the group's offsets ahead. */
    MOVED_AHEAD,
    /** The group's offsets are deleted, or expire. */
    OFFSETS_DELETED,

    // --- the messages
    /** A producer sends an event again. */
    SENT_TWICE,
    /** A command is sent again after many other messages. */
    COMMAND_LATE,
    /** A command is settled that has an answer already: its producer has sent it again. */
    COMMAND_AGAIN,
    /** Bytes that are no message. */
    MALFORMED,
    /** A message that the handler can't do before it is mended. */
    POISON,
    /** A producer's clock jumps. */
    CLOCK_JUMPED,
    /** A fold throws, after having changed the state that it was given. */
    FOLD_THROWS,
    /** A fold ends with an error of the machine's. */
    FOLD_ERROR,
    /** A fold takes longer than a turn may. */
    FOLD_SLOW,
    /** A fold is left behind by its turn, which goes on without it. */
    FOLD_LEFT_BEHIND,
    /** A fold goes on for many times as long, and heeds an interrupt or not. */
    FOLD_HANGS,
    /** A fold is interrupted, for it takes longer than it may. */
    HANDLER_TIMEOUT,
    /** A worker is replaced, for its fold has not heeded that. */
    WORKER_REPLACED,
    /** A message that no process survives, in the same fold again and again. */
    DEADLY,
    /** A process has written down what it was at when it died, or what it is about to try alone. */
    CRASH_COUNTED,
    /** More would be set aside than may be: the partition stops instead. */
    SET_ASIDE_LIMIT,
    /** A message is given up and put out, and its key goes on. */
    DEAD_LETTER,

    /** A decoder can't have the schema that it needs, for the registry is away. */
    DECODER_OUT,
    /** A decoder waits for a registry that does not answer. */
    DECODER_HANGS,
    /** A decoder fails, and nobody can tell why. */
    DECODER_UNCLEAR,
    /** Bytes that are no key. */
    BAD_KEY,
    // --- the delivery of dead letters
    /** Too many wait, or the first for too long: what would become one waits, too. */
    OUTBOX_FULL,
    /** The topic of dead letters takes nothing. */
    LETTERS_REFUSED,
    /** It does not take this one, until somebody raises what it takes. */
    LETTER_TOO_LARGE,
    /** Some have arrived, and nobody says so. */
    LETTERS_UNACKNOWLEDGED,
    /** It takes its time. */
    LETTERS_SLOW,
    /** The lease of who delivers lapses by the database's clock, and another goes on. */
    RELAY_TAKEN_OVER,

    // --- the delivery of outputs
    /** Too many wait: keys wait, too. */
    OUTPUTS_FULL,
    /** No broker answers. */
    OUTPUTS_BROKER_AWAY,
    /** A topic does not take this one for a while. */
    OUTPUT_REFUSED,
    /** A transaction is aborted. */
    OUTPUTS_ABORTED,
    /** A transaction is committed or not, and the reply is lost. */
    OUTPUTS_COMMIT_UNKNOWN,
    /** The coordinator ends a transaction that takes too long, and fences its producer. */
    OUTPUTS_FENCED,
    /** A process stands still inside a transaction, for so long that its relay is taken over. */
    OUTPUTS_SUSPENDED,
    /** A relay is taken over by another one. */
    OUTPUTS_TAKEN_OVER,
    /** Who has been fenced, by another relay or the coordinator, asks for a commit. */
    OUTPUTS_ZOMBIE,
    /** The numbers of committed batches are lost. */
    OUTPUTS_NUMBERS_LOST,
    /** An output arrives again: the database has gone back, or numbers were lost. */
    OUTPUTS_SENT_AGAIN,

    // --- timers
    /** A timer fires. */
    TIMER_FIRED,
    /** A timer fires that has fired before: the database has gone back. */
    TIMER_FIRED_AGAIN,
    /** A firing comes whose timer was ended or set again since, or has fired before. */
    FIRING_OUT_OF_DATE,
    /** More are overdue than may fire at once. */
    TIMERS_LEFT,
    /** The clock of a process jumps. */
    PROCESS_CLOCK_JUMPED,
    /** A firing is set aside. */
    FIRING_SET_ASIDE,

    // --- reads
    /** A caller has an answer that contains what he has put. */
    READ_ANSWERED,
    /** He has waited for it. */
    READ_WAITED,
    /** The process that he has asked dies, or answers that it can't say. */
    READ_ASKED_AGAIN,

    // --- the operator
    /** A key is parked, and an operator asks for it to go on. */
    PARKED,
    /** A partition is stopped, and an operator mends its cause. */
    STOPPED,
    /** An operator holds a key or a partition back for a while. */
    HELD_BACK,
    /** An operator bounds how many messages a second a key may have. */
    RATE_BOUND,
    /** An operator gives a process more workers, or fewer. */
    RESIZED,
    /** What is done with a message that fails for good is changed, for those who start later. */
    POLICY_CHANGED,
    /** An operator has whatever comes of a key parked. */
    QUARANTINED,
    /** An operator sets or deletes what a row says. */
    REPAIRED,
    /** An operator drops parked messages that can't have a row. */
    DROPPED
}
