package dev.envelope.integration.docs;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the guide tells its reader to do, works, and shows what the guide shows. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class GuideTest {

    private static LocalStack stack;
    private static Database database;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
        database = stack.postgres().createDatabase("envelope");
    }

    private static void follow(String name) throws IOException {
        Map<String, String> addresses =
                Map.of(
                        "localhost:9092",
                        stack.broker().bootstrapServers(),
                        "localhost:5432",
                        "127.0.0.1:" + stack.postgres().port());
        try (GuidePage page = new GuidePage(name, stack.workspace(), database, addresses)) {
            page.follow();
        }
    }

    @Test
    void aTopicFromZero() throws IOException {
        follow("topic");
    }
}
