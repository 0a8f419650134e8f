package dev.envelope.app.config;

import static dev.envelope.app.config.key.FailureKeys.ON_FAILURE;
import static dev.envelope.app.config.key.OutputKeys.DELIVERY;
import static dev.envelope.app.config.key.OutputKeys.Delivery.EXACTLY_ONCE;
import static dev.envelope.app.config.key.OutputKeys.EMIT_TOPIC;
import static dev.envelope.app.config.key.OutputKeys.NUMBERS_TOPIC;
import static dev.envelope.app.config.key.SlotKeys.ASSIGNMENT;
import static dev.envelope.app.config.key.TableKeys.DONE;
import static dev.envelope.app.config.key.TableKeys.ID;
import static dev.envelope.app.config.key.TableKeys.KEY;
import static dev.envelope.app.config.key.TableKeys.NAME;
import static dev.envelope.app.config.key.TableKeys.NOTIFY;
import static dev.envelope.app.config.key.TableKeys.SLOT;
import static dev.envelope.app.config.key.TableKeys.SOURCE;
import static dev.envelope.app.config.key.TableKeys.TIME;
import static dev.envelope.app.config.key.TableKeys.VALUE;
import static dev.envelope.app.config.key.TableKeys.WHERE;

import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.SlotKeys.Assignment;
import dev.envelope.app.config.key.TableKeys.Source;
import dev.envelope.core.api.FailurePolicy;
import java.util.List;
import java.util.stream.Stream;

/** Finds settings that a table needs, and those that mean nothing to it. */
final class TableChecks {

    private static final String ADD_BROKERS = "add bootstrap.servers";

    private final Settings settings;
    private final Findings findings;

    TableChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        if (settings.has(SOURCE, Source.TABLE::equals)) {
            ofTable();
        } else if (settings.has(SOURCE, Source.KAFKA::equals)) {
            for (Key<?> key : List.of(NAME, KEY, ID, VALUE, WHERE, TIME, DONE, SLOT, NOTIFY)) {
                if (settings.isSet(key)) {
                    findings.error(
                            key,
                            "means nothing where topics are read",
                            "add source=table, or take it out");
                }
            }
        }
    }

    private void ofTable() {
        for (Key<?> key : List.of(NAME, KEY, ID)) {
            if (!settings.isSet(key)) {
                findings.error(SOURCE, "needs " + key, "example: " + key + "=" + key.example());
            }
        }
        if (settings.has(WHERE, it -> it.contains("?"))) {
            findings.error(
                    WHERE,
                    "has a question mark, which the driver takes for a value of its own",
                    "write the operator as a function: jsonb_exists(body, 'a')");
        }
        Registry.keys().stream()
                .filter(it -> it.isOfTopics() && settings.isSet(it))
                .forEach(it -> findings.error(it, "means nothing where a table is read", SOURCE));
        if (settings.hasBrokers()) {
            withBrokers();
        } else {
            withoutBrokers();
        }
        if (settings.isSet(ASSIGNMENT) && settings.has(ASSIGNMENT, Assignment.GROUP::equals)) {
            findings.error(ASSIGNMENT, "divides topics, and slots a table", SOURCE);
        }
    }

    private void withBrokers() {
        boolean isExactlyOnce =
                !settings.isSet(DELIVERY) || settings.has(DELIVERY, EXACTLY_ONCE::equals);
        boolean knowsTopic =
                Stream.of(NUMBERS_TOPIC, EMIT_TOPIC, OutboxKeys.TOPIC).anyMatch(settings::isSet);
        if (isExactlyOnce && !knowsTopic) {
            findings.error(
                    NUMBERS_TOPIC,
                    "is required with brokers, and not set",
                    SOURCE,
                    "example: " + NUMBERS_TOPIC + "=" + NUMBERS_TOPIC.example(),
                    "or: " + DELIVERY + "=at-least-once");
        }
    }

    private void withoutBrokers() {
        Registry.keys().stream()
                .filter(it -> it.isOfBrokers() && settings.isSet(it))
                .forEach(it -> findings.error(it, "needs brokers", SOURCE, ADD_BROKERS));
        settings.effective().stream()
                .filter(it -> it.name().startsWith(Registry.KAFKA))
                .forEach(it -> findings.error(it, "is for brokers, and none is named"));
        if (settings.has(ON_FAILURE, FailurePolicy.Last.DEAD_LETTER::equals)) {
            findings.error(ON_FAILURE, "needs brokers", SOURCE, ADD_BROKERS + ", or park, or stop");
        }
    }
}
