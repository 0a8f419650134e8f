package dev.envelope.integration.simulation;

import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.store.InMemoryTable;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.slot.SlotSessions;
import dev.envelope.idempotency.store.table.TableStore;

/** Where a mutant gets between the parts of a process that reads a table, as in {@link Wiring}. */
interface TableWiring {

    /** As it is. */
    TableWiring STRAIGHT = new TableWiring() {};

    /** The rows of the database itself. */
    default StateStore states(StateStore states, InMemoryTable table) {
        return states;
    }

    /** The sessions of one process that lock slots. */
    default SlotSessions slotSessions(SlotSessions sessions) {
        return sessions;
    }

    /** The outputs and relays as one process sees them. */
    default OutputStore outputs(OutputStore store) {
        return store;
    }

    /** The producers of one process. */
    default OutputSender sender(OutputSender sender) {
        return sender;
    }

    /** The table itself. */
    default TableStore table(TableStore table) {
        return table;
    }
}
