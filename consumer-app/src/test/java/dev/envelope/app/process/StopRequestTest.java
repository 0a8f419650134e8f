package dev.envelope.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StopRequestTest {

    private final List<Signals.Kind> forced = new ArrayList<>();
    private final StopRequest stop = new StopRequest(forced::add);

    @Test
    void theFirstSignalAsksAndTheSecondForces() {
        stop.signalled(Signals.Kind.TERM);
        assertThat(stop.asked().getCount()).isZero();
        assertThat(forced).isEmpty();

        stop.signalled(Signals.Kind.INT);
        assertThat(stop.signal()).isEqualTo(Signals.Kind.TERM);
        assertThat(forced).containsExactly(Signals.Kind.INT);
    }

    @Test
    void aHangUpIsNoRequest() {
        stop.signalled(Signals.Kind.HUP);
        stop.signalled(Signals.Kind.HUP);
        assertThat(stop.asked().getCount()).isOne();
        assertThat(forced).isEmpty();
    }

    @Test
    void anEngineThatEndsLeavesNoSignalBehind() {
        stop.engineEnded();
        assertThat(stop.asked().getCount()).isZero();
        assertThat(stop.signal()).isNull();
    }
}
