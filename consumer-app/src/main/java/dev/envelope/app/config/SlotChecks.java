package dev.envelope.app.config;

import static dev.envelope.app.config.key.SlotKeys.ASSIGNMENT;
import static dev.envelope.app.config.key.SlotKeys.SLOTS;
import static dev.envelope.app.config.key.SlotKeys.SLOTS_FROM;
import static dev.envelope.app.config.key.SlotKeys.SLOTS_PER_PROCESS;
import static dev.envelope.app.config.key.SlotKeys.SLOTS_TIMEOUT;
import static dev.envelope.app.config.key.TableKeys.SOURCE;

import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.SlotKeys.Assignment;
import dev.envelope.app.config.key.TableKeys.Source;
import java.util.List;

/** Finds settings of slots that say too little, or nothing. */
final class SlotChecks {

    private final Settings settings;
    private final Findings findings;

    SlotChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        boolean isTable = settings.has(SOURCE, Source.TABLE::equals);
        if (isTable || settings.has(ASSIGNMENT, Assignment.SLOTS::equals)) {
            if (!isTable && !settings.isSet(SLOTS)) {
                findings.error(
                        ASSIGNMENT,
                        "needs to know how many slots there are",
                        "example: " + SLOTS.name() + "=" + SLOTS.example());
            } else if (isTable && settings.isSet(SLOTS_FROM) && !settings.isSet(SLOTS)) {
                findings.error(
                        SLOTS_FROM,
                        "needs the new number of slots",
                        "example: " + SLOTS.name() + "=" + SLOTS.example());
            } else if (settings.find(SLOTS_FROM).equals(settings.find(SLOTS))
                    && settings.isSet(SLOTS_FROM)) {
                findings.error(
                        SLOTS_FROM,
                        "is the number that there are to be",
                        SLOTS.name() + "=" + settings.shown(SLOTS));
            } else if (settings.find(SLOTS).isPresent()
                    && settings.has(SLOTS_PER_PROCESS, it -> it > settings.get(SLOTS))) {
                findings.doubt(
                        SLOTS_PER_PROCESS,
                        "is more than there are",
                        SLOTS.name() + "=" + settings.shown(SLOTS));
            }
        } else if (settings.has(ASSIGNMENT, Assignment.GROUP::equals)) {
            for (Key<?> key : List.of(SLOTS, SLOTS_FROM, SLOTS_PER_PROCESS, SLOTS_TIMEOUT)) {
                if (settings.isSet(key)) {
                    findings.error(
                            key,
                            "means nothing where a group divides the partitions",
                            ASSIGNMENT,
                            "add assignment=slots, or take it out");
                }
            }
        }
    }
}
