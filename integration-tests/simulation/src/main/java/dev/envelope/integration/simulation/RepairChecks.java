package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of repairs: each is done once, on the row that was looked at, changes what was
 * asked for and nothing else, and is answered truthfully; a row counts what is parked of it; and
 * what was dropped is not parked anew.
 *
 * <p>Threads: one thread.
 */
final class RepairChecks {

    private final World world;
    private final Set<String> done = new HashSet<>(); // in the present life
    private final Map<String, Integer> dropped = new HashMap<>(); // their sources, by place
    private final Set<String> mayComeBack = new HashSet<>(); // of these
    private final Set<String> quarantined = new HashSet<>();
    private final Set<String> repaired = new HashSet<>(); // keys
    private final Set<String> wasQuarantined = new HashSet<>();

    RepairChecks(World world) {
        this.world = world;
    }

    /** A row counts one message more than there is, until it counts none. */
    void quarantined(String key) {
        quarantined.add(key);
        wasQuarantined.add(key);
    }

    /**
     * Messages that can't have a row were dropped. What was read of a topic that had been made
     * again, under the name of the former one, comes again under its own.
     */
    void dropped(Collection<ParkedMessage> messages) {
        messages.forEach(
                it -> dropped.put(Trace.place(it.message()), it.message().epoch().source()));
        messages.stream()
                .map(ParkedMessage::message)
                .filter(it -> world.doubts().isOfSource(it.epoch().source()))
                .forEach(it -> mayComeBack.add(Trace.place(it)));
    }

    boolean isDropped(String place) {
        return dropped.containsKey(place);
    }

    /** The database has gone back: what was done since has not been done. */
    void lookAgain(Collection<Request> open) {
        done.clear();
        mayComeBack.addAll(dropped.keySet());
        quarantined.addAll(wasQuarantined);
        open.stream()
                .filter(it -> it.action().isRepair() && it.version() == null)
                .forEach(it -> done.add(id(it)));
    }

    /** Numbers are those of a slot. */
    private static String id(Request request) {
        return request.number() + " " + request.key();
    }

    /** Whether an operator has ever set or deleted what the row says. */
    boolean wasRepaired(String key) {
        return repaired.contains(key);
    }

    void repaired(Request request, Snapshot before, Snapshot after) {
        repaired.add(after.key());
        Long seen = request.version();
        boolean isOfThatRow =
                seen != null && (seen == Request.ANY_VERSION || seen == before.version());
        if (!isOfThatRow) {
            fail("repair", request + " was done on " + before);
        }
        if (!done.add(id(request))) {
            fail("repair", request + " was done twice");
        }
        boolean isAsAsked = Arrays.equals(after.state(), wanted(request));
        boolean isAllElseAsBefore =
                RowChecks.marks(before).equals(RowChecks.marks(after))
                        && before.parked() == after.parked();
        if (!isAsAsked || !isAllElseAsBefore) {
            fail("repair", request + " has made " + after + " of " + before);
        }
        world.checks().rows().repaired(before, after);
    }

    private static byte @Nullable [] wanted(Request request) {
        String state = request.state();
        return state == null ? null : state.getBytes(StandardCharsets.UTF_8);
    }

    void answered(Request request, String words) {
        if (request.action().isRepair()) {
            boolean isDone = done.contains(id(request));
            boolean saysDone = words.startsWith("set") || words.startsWith("deleted");
            boolean saysNot = words.startsWith("not done");
            if ((saysDone && !isDone) || (saysNot && isDone)) {
                fail("answer", request + " is answered with '" + words + "'");
            }
        }
    }

    /** A row was saved, with whatever was parked or taken out. */
    void saved(Snapshot row) {
        long parked =
                world.database().parked().stream()
                        .filter(it -> row.key().equals(it.rowKey()))
                        .count();
        if (row.parked() == 0) {
            quarantined.remove(row.key());
        }
        boolean isOneMore = quarantined.contains(row.key()) && row.parked() == parked + 1;
        if (row.parked() != parked && !isOneMore) {
            fail("miscounted", row + " counts " + row.parked() + ", parked are " + parked);
        }
    }

    /**
     * Something without a row was set aside. Behind an accepted cut it is of another source, and
     * nothing says that it was dropped.
     */
    void setAside(Collection<ParkedMessage> now) {
        for (ParkedMessage message : now) {
            String place = Trace.place(message.message());
            @Nullable Integer source = dropped.get(place);
            boolean isDropped = source != null && source == message.message().epoch().source();
            if (isDropped && !mayComeBack.contains(place) && isParked(place)) {
                fail("parked", place + " was dropped, and is parked anew");
            }
        }
    }

    private boolean isParked(String place) {
        return RowChecks.places(world.database().parked()).contains(place);
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
