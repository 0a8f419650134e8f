package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that have the same name. */
class InstanceNameTest {

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresSettings settings = fixture.settings("web-1");

    @AfterEach
    void close() {
        fixture.close();
    }

    private InstanceName name(String startId) {
        return new InstanceName(settings, startId, Set.of());
    }

    /** It was seen so many seconds before, and never since. */
    private void wasSeen(int secondsAgo) {
        fixture.server()
                .execute(
                        "UPDATE %s.instance SET seen_at = now() - interval '%d s'"
                                .formatted(settings.schema(), secondsAgo));
    }

    private String owner() {
        return fixture.server()
                .query("SELECT start_id FROM %s.instance".formatted(settings.schema()));
    }

    @Test
    void whoIsSeenAgainWhileAnotherStartsKeepsItsNameAndTheOtherIsRefused() {
        name("first").claim();
        InstanceName second = name("second");
        assertThatThrownBy(second::claim)
                .as("it may have been killed just now")
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("web-1 was seen less than 10 s ago");

        try (PostgresStore running = PostgresStore.open(settings, "first")) {
            running.requests().seen();
        }

        assertThatThrownBy(second::claim)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("give each process an instance.name of its own");
        assertThat(owner()).isEqualTo("first");
    }

    @Test
    void theNameOfOneThatWasKilledIsFreeOnceItHasBeenSilentForTenSeconds() {
        name("killed").claim();
        InstanceName next = name("next");
        wasSeen(8);
        assertThatThrownBy(next::claim).isInstanceOf(UnavailableException.class);
        wasSeen(11);

        next.claim();
        next.claim();

        assertThat(owner()).isEqualTo("next");
    }

    @Test
    void whoLeavesLeavesItsNameToTheNext() {
        try (PostgresStore running = PostgresStore.open(settings, "first")) {
            running.requests().seen();
            running.requests().leave();
        }

        name("second").claim();

        assertThat(owner()).isEqualTo("second");
    }

    @Test
    void whoHasLostItsNameDoesNotTakeItBack() {
        try (PostgresStore first = PostgresStore.open(settings, "first")) {
            first.requests().seen();
            wasSeen(11); // frozen
            name("second").claim();

            first.requests().seen();
            first.requests().leave();

            assertThat(owner()).isEqualTo("second");
        }
    }

    @ParameterizedTest
    @CsvSource({"TIMERS, timers=true", "COMMANDS, gateway.listen"})
    void timersAndCommandsWaitUntilNoOlderProgramRunsAndKeepItFromStarting(
            InstanceName.Feature feature, String setting) {
        name("first").claim();
        fixture.server()
                .execute(
                        "INSERT INTO %s.instance (name, seen_at) VALUES ('old-1', now())"
                                .formatted(settings.schema()));
        InstanceName withIt = new InstanceName(settings, "first", Set.of(feature));

        assertThatThrownBy(withIt::claim)
                .as("one that is just starting is seen at the next look")
                .isInstanceOf(UnavailableException.class);
        assertThatThrownBy(withIt::claim)
                .isInstanceOf(UnavailableException.class)
                .hasMessageEndingWith(setting + " waits until these have ended: old-1");
        wasSeen(11);
        withIt.claim();

        assertThat(
                        fixture.server()
                                .query(
                                        "SELECT min_program FROM %s.application"
                                                .formatted(settings.schema())))
                .isEqualTo("11");
    }

    @Test
    void namesThatNobodyHasHadForADayAreForgotten() {
        name("old").claim();
        wasSeen(100_000);
        new InstanceName(fixture.settings("web-2"), "new", Set.of()).claim();

        assertThat(owner()).isEqualTo("new");
    }
}
