package dev.envelope.idempotency.testkit;

import dev.envelope.idempotency.testkit.HandlerTest.Result;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What the rows of two runs differ in, in words; JSON is compared by what it means. */
final class Difference {

    private static final JsonMapper JSON = new JsonMapper();

    private Difference() {}

    /** Null if there is none. */
    static @Nullable String between(Result byTheBook, Result disturbed) {
        Set<String> keys = new TreeSet<>(byTheBook.states().keySet());
        keys.addAll(disturbed.states().keySet());
        for (String key : keys) {
            String wanted = byTheBook.states().get(key);
            String found = disturbed.states().get(key);
            if (!isSame(wanted, found)) {
                return "key %s ended as %s, and as %s when each message was folded alone."
                        .formatted(key, found, wanted);
            }
        }
        Set<Long> wanted = byTheBook.parked().keySet();
        Set<Long> found = disturbed.parked().keySet();
        return wanted.equals(found)
                ? null
                : "the messages at %s were set aside, and those at %s when each was folded alone."
                        .formatted(new TreeSet<>(found), new TreeSet<>(wanted));
    }

    private static boolean isSame(@Nullable String one, @Nullable String other) {
        return Objects.equals(one, other)
                || (one != null
                        && other != null
                        && JSON.readTree(one).equals(JSON.readTree(other)));
    }
}
