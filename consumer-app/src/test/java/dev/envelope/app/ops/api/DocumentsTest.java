package dev.envelope.app.ops.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.http.Answer;
import dev.envelope.app.ops.bulk.BulkRequests;
import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;

/** Names and order of what is answered about rows: others read it. */
class DocumentsTest {

    private static final Instant AT = Instant.parse("2026-11-23T03:00:00.120Z");

    private static String json(Object document) {
        return new String(Answer.written(document), StandardCharsets.UTF_8);
    }

    @Test
    void aKeyIsToldWithItsRowWhatItDoesAndWhatWasAskedFor() {
        var row =
                new KeyCatalog.Row(
                        "{\"n\":1}", 7, 3, List.of(new KeyCatalog.Mark("t", 1, 2, 9, 4)), 5, 6, AT);
        var asked =
                List.of(
                        new KeyCatalog.Asked("redrive", "me", AT, AT, "done"),
                        new KeyCatalog.Asked("skip", "me", AT, null, null));
        var standing = new Standing(Doing.RETRYING, 0, 5, 3, "no such account");

        assertThat(
                        json(
                                KeyDocument.of(
                                        "a",
                                        Optional.of(row),
                                        List.of(
                                                new KeyCatalog.Timer("x", AT, null),
                                                new KeyCatalog.Timer("y", AT, AT)),
                                        asked,
                                        Optional.of(standing),
                                        Duration.ofSeconds(2),
                                        true)))
                .isEqualTo(
                        "{\"key\":\"a\",\"row\":{\"deleted\":false,\"state\":{\"n\":1},"
                                + "\"stateBytes\":7,\"version\":3,"
                                + "\"updatedAt\":\"2026-11-23T03:00:00.120Z\","
                                + "\"marks\":[{\"topic\":\"t\",\"partition\":1,\"generation\":2,"
                                + "\"nextOffset\":9,\"leaderEpoch\":4}],\"eventIdBytes\":5,"
                                + "\"parked\":6},\"now\":{\"doing\":\"RETRYING\","
                                + "\"inWords\":\"failed, and waits for its next attempt\","
                                + "\"forMillis\":2000,\"failedAttempts\":3,"
                                + "\"trouble\":\"no such account\",\"messagesOfKey\":5},"
                                + "\"paused\":true,\"timers\":[{\"name\":\"x\","
                                + "\"dueAt\":\"2026-11-23T03:00:00.120Z\",\"firedAt\":null},"
                                + "{\"name\":\"y\",\"dueAt\":\"2026-11-23T03:00:00.120Z\","
                                + "\"firedAt\":\"2026-11-23T03:00:00.120Z\"}],\"asked\":[{\"action\":\"redrive\","
                                + "\"by\":\"me\",\"at\":\"2026-11-23T03:00:00.120Z\","
                                + "\"done\":\"2026-11-23T03:00:00.120Z\",\"answer\":\"done\"},"
                                + "{\"action\":\"skip\",\"by\":\"me\","
                                + "\"at\":\"2026-11-23T03:00:00.120Z\",\"done\":null,"
                                + "\"answer\":null}]}");
    }

    @Test
    void keysWithParkedMessagesAreToldAndCounted() {
        var key = new ParkedCatalog.ParkedKey("a", 2, 7, "t-1@5", "failed", 3, "no", AT);
        String first =
                "{\"key\":\"a\",\"messages\":2,\"position\":7,\"first\":\"t-1@5\","
                        + "\"reason\":\"failed\",\"attempts\":3,\"error\":\"no\","
                        + "\"since\":\"2026-11-23T03:00:00.120Z\"}";
        var reasons = new ParkedCatalog.Reasons(Map.of("failed", 2L), Map.of());

        assertThat(json(ParkedDocument.keys(List.of(key, key), reasons, 1)))
                .isEqualTo(
                        "{\"keys\":["
                                + first
                                + "],\"more\":true,\"reasons\":{\"failed\":2},\"withoutRow\":{}}");
        assertThat(json(ParkedDocument.selected(List.of(key), 10)))
                .isEqualTo("{\"keys\":1,\"messages\":2,\"more\":false,\"first\":[" + first + "]}");
    }

    @Test
    void aParkedMessageIsToldWithItsBytesAsTextWhereTheyAreText() {
        byte[] noText = {(byte) 0xff, 0, 1};
        var message =
                new ParkedCatalog.Entry(
                        7,
                        "a",
                        "t-1@5",
                        0,
                        "failed",
                        3,
                        "no",
                        AT,
                        null,
                        3,
                        null,
                        noText,
                        List.of(new RecordHeader("h", new byte[] {'x'})));

        assertThat(json(ParkedDocument.messages("a", List.of(message), 1)))
                .isEqualTo(
                        "{\"key\":\"a\",\"messages\":[{\"position\":7,\"place\":\"t-1@5\","
                                + "\"timestamp\":\"1970-01-01T00:00:00Z\",\"reason\":\"failed\","
                                + "\"attempts\":3,\"error\":\"no\","
                                + "\"since\":\"2026-11-23T03:00:00.120Z\",\"failedAgain\":null,"
                                + "\"value\":{\"bytes\":3,\"whole\":true,\"base64\":\"/wAB\"},"
                                + "\"headers\":[{\"name\":\"h\",\"value\":{\"bytes\":1,"
                                + "\"whole\":true,\"text\":\"x\"}}]}],\"more\":false}");
    }

    @Test
    void howFarARunWithManyKeysIsIsToldInKeys() {
        BulkRequests.Requests nobody =
                new BulkRequests.Requests() {
                    @Override
                    public Optional<Long> ask(String key, Action action) {
                        return Optional.empty();
                    }

                    @Override
                    public Map<Long, String> answersTo(Collection<Long> numbers) {
                        return Map.of();
                    }
                };
        var key = new ParkedCatalog.ParkedKey("a", 2, 7, "t-1@5", "failed", 3, "no", AT);

        assertThat(json(BulkRun.document(null))).isEqualTo("{\"running\":false}");
        assertThat(
                        json(
                                BulkRun.document(
                                        new BulkRun("drop", Action.DROP, nobody, List.of(key), 1))))
                .isEqualTo(
                        "{\"running\":true,\"action\":\"drop\",\"keys\":1,\"done\":0,"
                                + "\"notDone\":0,\"open\":0,\"first\":[],\"end\":\"\"}");
    }
}
