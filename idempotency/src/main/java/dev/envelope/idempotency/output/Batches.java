package dev.envelope.idempotency.output;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.output.OutputSender.Unknown;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.timer.Firing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Sends one batch after the other: opens it in the store before Kafka commits it, and has its rows
 * deleted with the opening of the next.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Batches {

    private final OutputStore store;
    private final OutputSender sender;
    private final Registration registration;
    private final String applicationId;
    private final List<Place> sent = new ArrayList<>(); // and not deleted yet, as far as known
    private final Map<Uuid, String> topicIds = new HashMap<>(); // as text, which takes its time

    Batches(
            OutputStore store,
            OutputSender sender,
            Registration registration,
            String applicationId) {
        this.store = store;
        this.sender = sender;
        this.registration = registration;
        this.applicationId = applicationId;
    }

    /** Rows that were sent and may still be in the store. */
    Collection<Place> sent() {
        return sent;
    }

    /** Other rows can have these places: in another life of the database, or for another relay. */
    void forget() {
        sent.clear();
    }

    /**
     * Sends these rows, all or none.
     *
     * @return why Kafka refuses some of their outputs, counted through all rows; if there are none,
     *     all were sent. Empty if the store has refused the batch.
     * @throws KafkaAwayException if Kafka can't take it now, or its answer is not known
     */
    Optional<Map<Integer, String>> send(List<Row> rows) {
        try {
            return sendOrLeave(rows);
        } catch (Unknown e) {
            registration.isUnresolved();
            throw new KafkaAwayException(e);
        }
    }

    private Optional<Map<Integer, String>> sendOrLeave(List<Row> rows) {
        OutputSender.Batch batch = sender.begin();
        SortedSet<Place> places = new TreeSet<>();
        rows.forEach(row -> places.add(row.place()));
        boolean opened = false;
        try {
            batch.send(records(rows));
            opened = isOpened(places);
        } finally {
            if (!opened) { // then it must not be committed, whatever the reason
                batch.abort();
            }
        }
        return opened ? Optional.of(commit(batch, places)) : Optional.empty();
    }

    private boolean isOpened(SortedSet<Place> places) {
        if (registration.ids().isEmpty()) { // at least once: no batch, no number
            return close();
        }
        Own own = registration.own();
        registration.isUnsure(); // until the store has answered
        if (!store.open(own, sent, places)) {
            return false;
        }
        registration.opened();
        sent.clear();
        return true;
    }

    private Map<Integer, String> commit(OutputSender.Batch batch, Collection<Place> places) {
        registration.isUnresolved(); // until Kafka has answered
        Map<Integer, String> refusals;
        try {
            refusals = batch.commit(registration.own().batch());
        } catch (UnavailableException e) {
            registration.isResolved();
            throw new KafkaAwayException(e);
        }
        registration.isResolved();
        if (refusals.isEmpty()) {
            sent.addAll(places);
        }
        return refusals;
    }

    /**
     * Has the rows deleted that were sent. No batch is open then.
     *
     * @return whether the store still takes this relay's word
     */
    boolean close() {
        Own own = registration.own();
        if (registration.ids().isEmpty()) {
            if (!sent.isEmpty()) {
                store.sent(own, sent);
            }
        } else if (!store.close(own, sent)) {
            registration.isUnsure();
            return false;
        }
        sent.clear();
        return true;
    }

    private List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records(List<Row> rows) {
        List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records = new ArrayList<>();
        for (Row row : rows) {
            for (Item item : row.items()) {
                records.add(record(item));
            }
        }
        return records;
    }

    /**
     * A record for Kafka. The firing of a timer goes to the partition of the message that has set
     * the timer, whatever partitioner its producer has.
     */
    private ProducerRecord<byte @Nullable [], byte @Nullable []> record(Item item) {
        Origin origin = item.origin();
        String topic = topicIds.computeIfAbsent(origin.topicId(), Uuid::toString);
        String id = origin.id(applicationId, topic);
        Header[] given = item.headers().toArray();
        Header[] headers = Arrays.copyOf(given, given.length + 1); // the producer locks its own
        headers[given.length] =
                new RecordHeader(DeadLetters.ID, id.getBytes(StandardCharsets.UTF_8));
        boolean isFiring = item.headers().lastHeader(Firing.NAME) != null;
        Integer partition = isFiring ? (Integer) origin.partition() : null;
        return new ProducerRecord<>(
                item.topic(), partition, item.key(), item.value(), new RecordHeaders(headers));
    }
}
