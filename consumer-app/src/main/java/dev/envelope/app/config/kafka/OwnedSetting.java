package dev.envelope.app.config.kafka;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A setting of the Kafka clients that only the engine sets, with the reason.
 *
 * @param client whose setting it is; all clients' when absent
 * @param only the one value that is accepted, since it is the engine's own; absent when none
 * @param reason why, and what to set instead, in words that follow the name
 */
public record OwnedSetting(
        @Nullable Client client, String name, @Nullable String only, String reason) {

    /** All of them, as {@code client | name | only | reason}. */
    public static final List<OwnedSetting> ALL =
            """
            all | bootstrap.servers | | is the same for all clients: set bootstrap.servers
            all | config.providers | | is not needed: references such as ${env:NAME} work in \
            every value of this file
            consumer | group.id | | is the application's name: set application.id
            consumer | enable.auto.commit | false | stays off: offsets are committed only after \
            their messages are saved (see commit.interval)
            consumer | auto.commit.interval.ms | | has no effect: offsets are committed after \
            their messages are saved (see commit.interval)
            consumer | key.deserializer | | is chosen by key.format
            consumer | value.deserializer | | is chosen by value.format
            consumer | auto.offset.reset | none | stays none, so that nothing is skipped in \
            silence: set start.from for the first start and on.gap for deleted records
            consumer | isolation.level | read_committed | stays read_committed: messages of \
            aborted transactions must not be applied
            consumer | allow.auto.create.topics | false | stays false: a misspelt topic is to be \
            reported, not created
            consumer | partition.assignment.strategy | | is chosen by the engine, which gives \
            partitions up one by one
            consumer | interceptor.classes | | is refused: an interceptor could change or drop \
            records before they are counted
            consumer | share.acknowledgement.mode | | is for share groups, which keep no order
            consumer | share.acquire.mode | | is for share groups, which keep no order
            producer | key.serializer | | is chosen by the engine: outputs are bytes already
            producer | value.serializer | | is chosen by the engine: outputs are bytes already
            producer | acks | all | stays all: an output counts as sent when it is safe
            producer | enable.idempotence | true | stays true: a retried output must not be \
            doubled or overtaken
            producer | transactional.id | | is chosen by the engine, for each start of a process
            producer | transaction.two.phase.commit.enable | | is not used: a batch of \
            outputs is resolved by its number
            admin | bootstrap.controllers | | is not used: the brokers are asked (see \
            bootstrap.servers)
            """
                    .lines()
                    .map(row -> row.split(" *\\| *", -1))
                    .map(OwnedSetting::of)
                    .toList();

    private static OwnedSetting of(String... cells) {
        Client client =
                cells[0].equals("all") ? null : Client.valueOf(cells[0].toUpperCase(Locale.ROOT));
        return new OwnedSetting(client, cells[1], cells[2].isEmpty() ? null : cells[2], cells[3]);
    }

    /** The entry for this name, if the engine owns it. */
    static Optional<OwnedSetting> find(KafkaName name) {
        return ALL.stream().filter(owned -> owned.decides(name)).findFirst();
    }

    /** A sentence about a client's own name, whatever the client, if the engine owns it. */
    public static Optional<String> hint(String name) {
        return ALL.stream()
                .filter(owned -> owned.name.equals(name))
                .map(owned -> "Kafka's " + name + " " + owned.reason)
                .findFirst();
    }

    private boolean decides(KafkaName other) {
        return name.equals(other.name()) && (client == null || other.clients().contains(client));
    }

    boolean allows(String value) {
        return value.equalsIgnoreCase(only);
    }
}
