package dev.envelope.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class WorkerThreadsTest {

    @Test
    void thoseOfTheSystemAreNumberedAndDoNotKeepTheProcessAlive() {
        ThreadFactory threads = WorkerThreads.PLATFORM.factory("worker");

        assertThat(threads.newThread(() -> {}).getName()).isEqualTo("worker-1");
        assertThat(threads.newThread(() -> {}).getName()).isEqualTo("worker-2");
        assertThat(threads.newThread(() -> {}).isDaemon()).isTrue();
    }

    @Test
    void virtualOnesAreThereFromJava21OnAndOtherwiseRefused() throws Exception {
        if (Runtime.version().feature() < 21) {
            assertThat(WorkerThreads.VIRTUAL.areThere()).isFalse();
            assertThatThrownBy(() -> WorkerThreads.VIRTUAL.factory("worker"))
                    .hasMessageContaining("Java 21");
            return;
        }
        Thread thread = WorkerThreads.VIRTUAL.factory("worker").newThread(() -> {});
        thread.start();
        thread.join();

        assertThat(thread.getName()).isEqualTo("worker-1");
        assertThat(thread.getClass().getName()).isEqualTo("java.lang.VirtualThread");
    }
}
