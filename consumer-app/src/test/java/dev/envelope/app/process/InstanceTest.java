package dev.envelope.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InstanceTest {

    @Test
    void aProcessIsCalledByItsMachineItsNumberAndLettersOfItsOwn() {
        assertThat(Instance.name())
                .matches(".+-" + ProcessHandle.current().pid() + "-[0-9a-f]{6}")
                .isEqualTo(Instance.name());
        assertThat(Instance.startId()).hasSize(36).isEqualTo(Instance.startId());
    }
}
