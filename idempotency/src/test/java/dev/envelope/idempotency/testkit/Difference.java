package dev.envelope.idempotency.testkit;

import dev.envelope.idempotency.testkit.HandlerTest.Emitted;
import dev.envelope.idempotency.testkit.HandlerTest.Result;
import java.util.List;
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
        keys.addAll(byTheBook.emitted().keySet());
        keys.addAll(disturbed.emitted().keySet());
        for (String key : keys) {
            String wanted = byTheBook.states().get(key);
            String found = disturbed.states().get(key);
            if (!isSame(wanted, found)) {
                return "key %s ended as %s, and as %s when each message was folded alone."
                        .formatted(key, found, wanted);
            }
        }
        if (!byTheBook.timers().equals(disturbed.timers())) {
            return "the timers ended as %s, and as %s when each message was folded alone."
                    .formatted(disturbed.timers(), byTheBook.timers());
        }
        for (String key : keys) {
            String emitted = inWhatIsEmitted(key, byTheBook, disturbed);
            if (emitted != null) {
                return emitted;
            }
        }
        Set<Long> wanted = byTheBook.parked().keySet();
        Set<Long> found = disturbed.parked().keySet();
        return wanted.equals(found)
                ? null
                : "the messages at %s were set aside, and those at %s when each was folded alone."
                        .formatted(new TreeSet<>(found), new TreeSet<>(wanted));
    }

    private static @Nullable String inWhatIsEmitted(
            String key, Result byTheBook, Result disturbed) {
        List<Emitted> wanted = byTheBook.emittedBy(key);
        List<Emitted> found = disturbed.emittedBy(key);
        for (int i = 0; i < Math.max(wanted.size(), found.size()); i++) {
            Emitted one = i < wanted.size() ? wanted.get(i) : null;
            Emitted other = i < found.size() ? found.get(i) : null;
            if (!Objects.equals(one, other)) {
                return "key %s has emitted as its record %d: %s, and %s when each message was folded alone."
                        .formatted(key, i + 1, other, one);
            }
        }
        return null;
    }

    private static boolean isSame(@Nullable String one, @Nullable String other) {
        return Objects.equals(one, other)
                || (one != null
                        && other != null
                        && JSON.readTree(one).equals(JSON.readTree(other)));
    }
}
