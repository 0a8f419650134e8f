package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UserCodeTest {

    private static final long SEIZED = -7;
    private static final int ROUNDS = 5_000;

    private final UserCode code = new UserCode();

    @Test
    void aStepThatWasLeftCannotBeSeizedAndOneThatWasSeizedCannotBeLeft() {
        assertThat(UserCode.isInside(code.step())).isFalse();
        code.enter();
        long inside = code.step();
        assertThat(UserCode.isInside(inside)).isTrue();
        assertThat(code.leave()).isTrue();
        assertThat(code.seize(inside, SEIZED)).isFalse();

        code.enter();
        assertThat(code.seize(code.step(), SEIZED)).isTrue();
        assertThat(code.leave()).isFalse();
        assertThat(code.leaveSeized()).isEqualTo(SEIZED);
        assertThat(UserCode.isInside(code.step())).isFalse();
    }

    /** Real threads: of a return and a seizure that meet, one happens. */
    @Test
    void whateverIsSeizedIsSeenByTheWorkerAndNothingElseIs() throws Exception {
        CompletableFuture<Long> seenByTheWorker = new CompletableFuture<>();
        long[] written = {0}; // before each step in
        Thread worker =
                new Thread(
                        () -> {
                            long seized = 0;
                            for (int round = 0; round < ROUNDS; round++) {
                                written[0]++;
                                code.enter();
                                LockSupport.parkNanos(1); // long enough to be met
                                if (!code.leave()) {
                                    seized += code.leaveSeized() == SEIZED ? 1 : 0;
                                }
                            }
                            seenByTheWorker.complete(seized);
                        });
        worker.start();
        long seized = 0;
        while (worker.isAlive()) {
            long at = code.step();
            if (UserCode.isInside(at)) {
                assertThat(written[0]).isGreaterThanOrEqualTo((at + 1) / 2);
                seized += code.seize(at, SEIZED) ? 1 : 0;
            }
        }

        assertThat(seized).isPositive();
        assertThat(seenByTheWorker.get()).isEqualTo(seized);
    }
}
