package dev.envelope.app.config;

import static dev.envelope.app.config.key.FailureKeys.ON_FAILURE;
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
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.SlotKeys.Assignment;
import dev.envelope.app.config.key.TableKeys.Source;
import dev.envelope.core.api.FailurePolicy;
import java.util.List;

/** Finds settings that a table needs, and those that mean nothing to it. */
final class TableChecks {

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
        settings.effective().stream()
                .filter(it -> it.name().startsWith(Registry.KAFKA))
                .forEach(
                        it ->
                                findings.error(
                                        it,
                                        "means nothing where a table is read"
                                                + findings.seen(SOURCE, it.origin())));
        if (settings.isSet(ASSIGNMENT) && settings.has(ASSIGNMENT, Assignment.GROUP::equals)) {
            findings.error(ASSIGNMENT, "divides topics, and slots a table", SOURCE);
        }
        if (settings.has(ON_FAILURE, FailurePolicy.Last.DEAD_LETTER::equals)) {
            findings.error(
                    ON_FAILURE, "needs a broker, and a table needs none", SOURCE, "park, or stop");
        }
    }
}
