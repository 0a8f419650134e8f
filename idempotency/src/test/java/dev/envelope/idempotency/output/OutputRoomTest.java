package dev.envelope.idempotency.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.output.OutputRoom.Limits;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When keys that emit have to wait. */
class OutputRoomTest {

    private final OutputRoom room = new OutputRoom(new Limits(8, 1_000), () -> {});

    private void measured(long outputs, long bytes) {
        room.measured(this, new Waiting(outputs, bytes, Duration.ZERO));
    }

    @Test
    void itIsFullAtTheCountAndOpensWhenAQuarterIsFree() {
        measured(5, 0);
        room.added(2, 0);
        assertThat(room.isOpen()).isTrue();
        room.added(1, 0);
        assertThat(room.isOpen()).isFalse();
        measured(7, 0);
        assertThat(room.isOpen()).isFalse();
        room.gone(2, 0);
        assertThat(room.isOpen()).isTrue();
        room.added(2, 0);
        assertThat(room.isOpen()).isTrue();
    }

    @Test
    void itIsFullAtTheBytesAndOpensWhenAQuarterIsFree() {
        measured(1, 900);
        room.added(1, 100);
        assertThat(room.isOpen()).isFalse();
        room.gone(1, 249);
        assertThat(room.isOpen()).isFalse();
        room.gone(0, 2);
        assertThat(room.isOpen()).isTrue();
    }

    @Test
    void whatWaitsAtAPlaceThatIsAwayFillsItNoMore() {
        room.measured("there", new Waiting(2, 0, Duration.ZERO));
        room.measured("away", new Waiting(7, 0, Duration.ZERO));
        assertThat(room.isOpen()).isFalse();
        room.withoutPlaceOf("away");
        assertThat(room.isOpen()).isTrue();
        room.added(6, 0);
        assertThat(room.isOpen()).isFalse();
        room.withoutPlaceOf("there");
        assertThat(room.isOpen()).as("there is no other one").isFalse();
    }

    @Test
    void withoutLimitItIsNeverFull() {
        OutputRoom endless = OutputRoom.endless();
        endless.added(1L << 40, 1L << 50);
        assertThat(endless.isOpen()).isTrue();
    }
}
