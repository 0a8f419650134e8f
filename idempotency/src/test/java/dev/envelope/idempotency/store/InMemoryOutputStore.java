package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryOutputs.Relay;
import dev.envelope.idempotency.store.InMemoryOutputs.Saved;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The outputs and relays of a database in memory, as one start of a process sees them.
 *
 * <p>Threads: guarded by the database.
 */
public final class InMemoryOutputStore implements OutputStore {

    private static final int MOST_BEFORE = 1_000; // of a relay, as in Postgres

    private final InMemoryDatabase database;
    private final Object start = new Object();
    private @Nullable Own registered;

    /** For a new start of a process. */
    public InMemoryOutputStore(InMemoryDatabase database) {
        this.database = database;
    }

    /** The number that a save of this process writes on what it puts out. */
    public int numberIn(Incarnation life) {
        synchronized (database) {
            return registered != null && registered.life().equals(life)
                    ? registered.number()
                    : InMemoryOutputs.NONE_YET;
        }
    }

    @Override
    public Own register() {
        synchronized (database) {
            int number = database.relays().register(start, database.nanos());
            registered = new Own(number, 0, List.of(), database.incarnation());
            return registered;
        }
    }

    @Override
    public boolean under(Own own, List<String> ids) {
        synchronized (database) {
            Optional<Relay> me = free(own).filter(it -> it.open().isEmpty());
            me.ifPresent(it -> put(it.under(ids, database.nanos())));
            return me.isPresent();
        }
    }

    @Override
    public void alive(Own own) {
        synchronized (database) {
            mine(own).ifPresent(it -> put(it.seen(database.nanos())));
        }
    }

    @Override
    public void leave(Own own) {
        synchronized (database) {
            mine(own).ifPresent(it -> put(it.seen(InMemoryOutputs.NEVER)));
        }
    }

    @Override
    public List<Row> next(Own own, Collection<Place> without, int mostOutputs, long maxBytes) {
        synchronized (database) {
            database.require(own.life());
            List<Row> next = new ArrayList<>();
            long outputs = 0;
            long bytes = 0;
            for (Saved saved : of(own)) {
                if (saved.refusal() != null || without.contains(saved.place())) {
                    continue;
                }
                Row row = row(saved);
                outputs += row.items().size();
                bytes += row.bytes();
                if (!next.isEmpty() && (outputs > mostOutputs || bytes > maxBytes)) {
                    break;
                }
                next.add(row);
            }
            return next;
        }
    }

    @Override
    public Before before(
            Own own, long position, Collection<Place> known, Collection<Integer> asked) {
        synchronized (database) {
            database.require(own.life());
            Map<Integer, Integer> counts = new TreeMap<>();
            Map<Place, int @Nullable []> lanes = new TreeMap<>();
            Set<Place> refused = new HashSet<>();
            long upTo = position;
            for (Saved saved : database.relays().rows.values()) {
                Place place = saved.place();
                int[] its = lanes(saved);
                if (place.position() >= position) {
                    continue;
                }
                if (saved.refusal() != null) {
                    if (IntStream.of(its).anyMatch(asked::contains)) {
                        lanes.put(place, its);
                        refused.add(place);
                    }
                } else if (!isMine(own, saved.relay())) {
                    int count = counts.merge(saved.relay(), 1, Integer::sum);
                    if (count <= MOST_BEFORE) {
                        lanes.put(place, known.contains(place) ? null : its);
                    }
                    if (count == MOST_BEFORE) {
                        upTo = Math.min(upTo, place.position());
                    }
                }
            }
            return new Before(lanes, refused, upTo);
        }
    }

    @Override
    public boolean open(Own own, Collection<Place> sent, SortedSet<Place> next) {
        return movesOn(own, sent, own.batch() + 1, List.copyOf(next));
    }

    @Override
    public boolean close(Own own, Collection<Place> sent) {
        return movesOn(own, sent, own.batch(), List.of());
    }

    private boolean movesOn(Own own, Collection<Place> sent, long batch, List<Place> next) {
        synchronized (database) {
            delete(own, sent);
            Optional<Relay> me = free(own).filter(it -> it.batch() == own.batch());
            me.ifPresent(it -> put(it.at(batch, next, database.nanos())));
            return me.isPresent();
        }
    }

    @Override
    public void sent(Own own, Collection<Place> rows) {
        synchronized (database) {
            delete(own, rows);
        }
    }

    /** Unless another relay has taken this one over. */
    private void delete(Own own, Collection<Place> places) {
        if (free(own).isPresent()) {
            database.relays()
                    .rows
                    .values()
                    .removeIf(it -> isMine(own, it.relay()) && places.contains(it.place()));
        }
    }

    @Override
    public void split(Own own, Row row, Collection<Integer> held, @Nullable String refused) {
        synchronized (database) {
            boolean isFree = free(own).filter(it -> it.open().isEmpty()).isPresent();
            Saved saved = database.relays().rows.get(row.place());
            if (!isFree || saved == null || !isMine(own, saved.relay()) || held.isEmpty()) {
                return;
            }
            int nextPart = nextPart(row.place());
            if (held.size() < saved.outputs().size() && nextPart > row.place().part()) {
                replace(saved.of(some(saved, held, false)));
                Saved part =
                        new Saved(
                                saved.relay(),
                                new Place(row.place().position(), nextPart),
                                some(saved, held, true),
                                saved.nanos(),
                                null);
                replace(refused == null ? part : part.refused(refused, database.nanos()));
            } else if (refused != null) {
                replace(saved.refused(refused, database.nanos()));
            }
        }
    }

    private static List<SavedOutput> some(Saved of, Collection<Integer> held, boolean which) {
        return IntStream.range(0, of.outputs().size())
                .filter(i -> held.contains(i) == which)
                .mapToObj(of.outputs()::get)
                .toList();
    }

    /** A little below the part that was taken out before; the row's own if there is no room. */
    private int nextPart(Place of) {
        Place next = database.relays().rows.higherKey(of);
        int end =
                next == null || next.position() != of.position() ? Integer.MAX_VALUE : next.part();
        return Math.max(of.part() + (end - of.part()) / 2, end - 65_536);
    }

    @Override
    public List<Refused> refused(Own own, Place after, int most) {
        synchronized (database) {
            database.require(own.life());
            List<Refused> found = new ArrayList<>();
            for (Saved saved : of(own)) {
                InMemoryOutputs.Refusal refusal = saved.refusal();
                boolean isBehind = saved.place().compareTo(after) > 0;
                if (refusal != null && isBehind && found.size() < most) {
                    Instant since = instant(refusal.since());
                    found.add(new Refused(row(saved), refusal.why(), since, refusal.tries()));
                }
            }
            return found;
        }
    }

    @Override
    public void refusedAgain(Own own, Place place, String why) {
        synchronized (database) {
            database.require(own.life());
            of(own).stream()
                    .filter(it -> it.place().equals(place) && it.refusal() != null)
                    .forEach(it -> replace(it.refused(why, database.nanos())));
        }
    }

    @Override
    public Optional<Own> look(Own own) {
        synchronized (database) {
            return free(own)
                    .map(
                            it ->
                                    new Own(
                                            it.number(),
                                            it.batch(),
                                            servedBy(it.number())
                                                    .map(Relay::number)
                                                    .filter(this::hasRows)
                                                    .toList(),
                                            own.life()));
        }
    }

    @Override
    public List<Gone> gone(Own own, Duration silence) {
        synchronized (database) {
            database.require(own.life());
            long now = database.nanos();
            return database.relays().relays.values().stream()
                    .filter(it -> it.number() != own.number() && it.servedBy() == null)
                    .filter(it -> it.isSilent(now, silence.toNanos()))
                    .filter(it -> !it.open().isEmpty() || servesRows(it))
                    .map(InMemoryOutputStore::gone)
                    .toList();
        }
    }

    private boolean servesRows(Relay relay) {
        return Stream.concat(Stream.of(relay), servedBy(relay.number()))
                .map(Relay::number)
                .anyMatch(this::hasRows);
    }

    private boolean hasRows(int relay) {
        return database.relays().rows.values().stream().anyMatch(it -> it.relay() == relay);
    }

    private static Gone gone(Relay of) {
        return new Gone(of.number(), of.ids(), of.batch(), !of.open().isEmpty());
    }

    @Override
    public boolean takeOver(Own own, Gone gone, long committed, Duration silence) {
        synchronized (database) {
            Relay other = database.relays().relays.get(gone.number());
            if (free(own).isEmpty()
                    || other == null
                    || other.servedBy() != null
                    || !gone(other).equals(gone)
                    || !other.isSilent(database.nanos(), silence.toNanos())) {
                return false;
            }
            end(other, committed);
            Stream.concat(Stream.of(other), servedBy(gone.number()))
                    .toList()
                    .forEach(it -> put(it.takenOverBy(own.number())));
            alive(own);
            return true;
        }
    }

    @Override
    public Optional<Own> resolved(Own own, long committed) {
        synchronized (database) {
            free(own)
                    .ifPresent(
                            it -> {
                                end(it, committed);
                                put(it.at(it.batch(), List.of(), database.nanos()));
                            });
            return look(own);
        }
    }

    private void end(Relay relay, long committed) {
        if (committed >= relay.batch()) {
            relay.open().forEach(database.relays().rows::remove);
        }
    }

    @Override
    public Waiting depth(int most) {
        synchronized (database) {
            List<Saved> rows = database.relays().rows.values().stream().limit(most).toList();
            long now = database.nanos();
            return rows.isEmpty()
                    ? Waiting.NOTHING
                    : new Waiting(
                            rows.stream().mapToLong(it -> it.outputs().size()).sum(),
                            rows.stream().mapToLong(InMemoryOutputStore::bytes).sum(),
                            Duration.ofNanos(
                                    rows.stream()
                                            .mapToLong(it -> now - it.nanos())
                                            .max()
                                            .orElse(0)));
        }
    }

    /** The relay, in its life of the database, whoever serves it. */
    private Optional<Relay> mine(Own own) {
        database.require(own.life());
        return Optional.ofNullable(database.relays().relays.get(own.number()))
                .filter(it -> it.start() == start);
    }

    /** The same if nobody has taken it over. */
    private Optional<Relay> free(Own own) {
        return mine(own).filter(it -> it.servedBy() == null);
    }

    private Stream<Relay> servedBy(int number) {
        return database.relays().relays.values().stream()
                .filter(it -> it.servedBy() != null && it.servedBy() == number);
    }

    private void put(Relay relay) {
        database.relays().relays.put(relay.number(), relay);
    }

    private void replace(Saved saved) {
        database.relays().rows.put(saved.place(), saved);
    }

    private List<Saved> of(Own own) {
        return database.relays().rows.values().stream()
                .filter(it -> isMine(own, it.relay()))
                .toList();
    }

    private static boolean isMine(Own own, int relay) {
        return relay == own.number() || own.served().contains(relay);
    }

    private Row row(Saved saved) {
        List<Item> items = saved.outputs().stream().map(this::item).toList();
        return new Row(saved.place(), items, bytes(saved), instant(saved.nanos()));
    }

    private static long bytes(Saved saved) {
        return saved.outputs().stream().mapToLong(it -> it.output().bytes()).sum();
    }

    private Item item(SavedOutput saved) {
        Output output = saved.output();
        return new Item(
                Output.lane(saved.rowKey(), output.topic()),
                database.origin(output.origin(), output.ordinal()),
                output.topic(),
                output.key(),
                output.value(),
                new RecordHeaders(output.headers().toArray()));
    }

    private static int[] lanes(Saved saved) {
        return saved.outputs().stream()
                .mapToInt(it -> Output.lane(it.rowKey(), it.output().topic()))
                .toArray();
    }

    private static Instant instant(long nanos) {
        return Instant.EPOCH.plusNanos(nanos);
    }
}
