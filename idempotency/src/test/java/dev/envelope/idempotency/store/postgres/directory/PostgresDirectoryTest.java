package dev.envelope.idempotency.store.postgres.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.directory.DirectoryStore;
import dev.envelope.idempotency.store.directory.DirectoryStore.Claim;
import dev.envelope.idempotency.store.directory.DirectoryStore.Owner;
import dev.envelope.idempotency.store.postgres.InstanceName;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What processes tell of their partitions. */
class PostgresDirectoryTest {

    private static final Claim CLAIM =
            new Claim(
                    "10.0.0.1:8090",
                    3,
                    Set.of(new TopicPartition("t-1", 0), new TopicPartition("t.2", 11)));

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresStore web1 = started("web-1");
    private final PostgresStore web2 = started("web-2");

    @AfterEach
    void close() {
        web1.close();
        web2.close();
        fixture.close();
    }

    private PostgresStore started(String instance) {
        PostgresSettings settings = fixture.settings(instance);
        new InstanceName(settings, "start of " + instance, Set.of()).claim();
        return PostgresStore.open(settings, "start of " + instance);
    }

    @Test
    void eachReadsWhatAllHaveTold() {
        DirectoryStore one = web1.directory();
        assertThat(one.tell(CLAIM)).isTrue();
        Claim other = new Claim("10.0.0.2:8090", 4, Set.of());
        assertThat(web2.directory().tell(other)).isTrue();

        assertThat(one.owners())
                .containsExactlyInAnyOrder(
                        new Owner("web-1", true, CLAIM), new Owner("web-2", false, other));

        one.tell(other);
        assertThat(one.owners()).contains(new Owner("web-1", true, other));
    }

    @Test
    void whatWasToldTenSecondsAgoDoesNotCount() {
        web1.directory().tell(CLAIM);
        web2.directory().tell(CLAIM);
        fixture.server()
                .execute(
                        "UPDATE %s.instance SET told_at = now() - interval '11 s'"
                                        .formatted(fixture.settings("web-1").schema())
                                + " WHERE name = 'web-1'");

        assertThat(web1.directory().owners()).containsExactly(new Owner("web-2", false, CLAIM));
    }

    /** The name may be another start's by now. */
    @Test
    void whomTheDatabaseDoesNotKnowTellsNothing() {
        try (PostgresStore former =
                PostgresStore.open(fixture.settings("web-1"), "an earlier start")) {
            assertThat(former.directory().tell(CLAIM)).isFalse();
            assertThat(former.directory().owners()).isEmpty();
        }
    }
}
