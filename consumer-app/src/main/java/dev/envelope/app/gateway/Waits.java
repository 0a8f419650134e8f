package dev.envelope.app.gateway;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.ValueType;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import java.time.Duration;

/** How long callers wait, within a limit. */
final class Waits {

    private final Duration most;
    private final ValueType<Duration> type;

    Waits(Duration most) {
        this.most = most;
        this.type = Quantities.duration("0ms", Quantities.show(most));
    }

    /**
     * How long a caller wants to wait.
     *
     * @throws Refused if that is too long, or no duration
     */
    Duration of(Call call, Duration otherwise) {
        return call.time("wait", type).orElse(otherwise.compareTo(most) < 0 ? otherwise : most);
    }
}
