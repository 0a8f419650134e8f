package dev.envelope.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ClientPropertiesTest {

    @Test
    void whatThePromisesRestOnIsNotTheUsers() {
        assertThat(
                        consumer(
                                Map.of(
                                        "enable.auto.commit",
                                        true,
                                        "consumer.auto.offset.reset",
                                        "latest")))
                .containsEntry("enable.auto.commit", false)
                .containsEntry("auto.offset.reset", "none");
    }

    @Test
    void membersHearOfEachOtherWithinHalfASecondOrAThirdOfAShorterSession() {
        String heartbeat = "heartbeat.interval.ms";

        assertThat(consumer(Map.of())).containsEntry(heartbeat, 500);
        assertThat(consumer(Map.of("consumer.session.timeout.ms", "900")))
                .containsEntry(heartbeat, 300);
        assertThat(consumer(Map.of("session.timeout.ms", 60_000))).containsEntry(heartbeat, 500);
        assertThat(consumer(Map.of("consumer." + heartbeat, "2000")))
                .containsEntry(heartbeat, "2000");
        assertThat(consumer(Map.of("consumer.group.protocol", "consumer")))
                .doesNotContainKey(heartbeat);
    }

    @Test
    void aRebalanceWaitsForNobodyLongerThanAMinuteUnlessTheUserSaysSo() {
        ConsumerSettings settings = ConsumerSettings.of("app", "localhost:9092", Set.of("topic"));

        assertThat(new ClientProperties(settings).consumer())
                .containsEntry("max.poll.interval.ms", 60_000);
        assertThat(
                        new ClientProperties(
                                        settings.withClientProperties(
                                                Map.of("consumer.max.poll.interval.ms", "90000")))
                                .consumer())
                .containsEntry("max.poll.interval.ms", "90000");
    }

    @Test
    void aFetchForIdlePartitionsHoldsUpABusyOneShortlyUnlessTheUserSaysSo() {
        assertThat(consumer(Map.of())).containsEntry("fetch.max.wait.ms", 50);
        assertThat(consumer(Map.of("consumer.fetch.max.wait.ms", "500")))
                .containsEntry("fetch.max.wait.ms", "500");
    }

    @Test
    void aSettingOfOneClientDoesNotReachTheOther() {
        ClientProperties properties =
                properties(Map.of("consumer.fetch.min.bytes", 7, "admin.retries", 3));

        assertThat(properties.consumer()).containsEntry("fetch.min.bytes", 7);
        assertThat(properties.consumer()).doesNotContainKey("retries");
        assertThat(properties.admin()).containsEntry("retries", 3);
    }

    private static Map<String, Object> consumer(Map<String, Object> wanted) {
        return properties(wanted).consumer();
    }

    private static ClientProperties properties(Map<String, Object> wanted) {
        ConsumerSettings defaults = ConsumerSettings.of("app", "localhost:9", Set.of("t"));
        return new ClientProperties(defaults.withClientProperties(wanted));
    }
}
