package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.decode.Deserializers;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeserializerValueFormatTest {

    private static final byte[] VALUE = {1, 2};

    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    private final class Fake implements Deserializer<String> {

        private final Function<byte[], @Nullable String> read;

        Fake(Function<byte[], @Nullable String> read) {
            this.read = read;
            made.incrementAndGet();
        }

        @Override
        public @Nullable String deserialize(String topic, byte[] data) {
            return read.apply(data);
        }

        @Override
        public @Nullable String deserialize(String topic, Headers headers, byte[] data) {
            headers.remove("type");
            return deserialize(topic, data);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Test
    void leavesTheMessagesHeadersAlone() {
        Message message = SampleMessages.of("x", "type", "t");
        assertThat(format(data -> "read").decode(VALUE, message)).isEqualTo("read");
        assertThat(message.header("type")).isNotNull();
    }

    @Test
    void usesOneAgainAndAgainWhileCallsComeOneByOne() {
        DeserializerValueFormat<String> format = format(data -> "read");
        for (int i = 0; i < 10; i++) {
            format.decode(VALUE, SampleMessages.tombstone());
        }
        assertThat(made).hasValue(1);
    }

    @Test
    void neverGivesOneToTwoCallsAtATime() throws Exception {
        CountDownLatch bothInside = new CountDownLatch(2);
        DeserializerValueFormat<String> format =
                format(
                        data -> {
                            bothInside.countDown();
                            await(bothInside);
                            return "read";
                        });
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<String>> calls = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                calls.add(threads.submit(() -> format.decode(VALUE, SampleMessages.tombstone())));
            }
            for (Future<String> call : calls) {
                assertThat(call.get()).isEqualTo("read");
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(made).hasValue(2);
        format.close();
        assertThat(closed).hasValue(2);
    }

    @Test
    void closesOneThatComesBackAfterTheEnd() {
        List<DeserializerValueFormat<String>> self = new ArrayList<>();
        DeserializerValueFormat<String> format =
                format(
                        data -> {
                            self.get(0).close();
                            return "read";
                        });
        self.add(format);
        format.decode(VALUE, SampleMessages.tombstone());
        assertThat(closed).hasValue(1);
    }

    @Test
    void blamesTheMessageForBytesThatCantBeRead() {
        assertThatThrownBy(() -> decode(new SerializationException("bad\nmagic")))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("bad\\u000amagic")
                .satisfies(JsonStateCodecTest::isBrief);
        assertThatThrownBy(() -> decode(new NullPointerException()))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void blamesNoMessageForARegistryThatIsNotThere() {
        assertThatThrownBy(
                        () -> decode(new SerializationException("x", new ConnectException("no"))))
                .isInstanceOf(UnavailableException.class);
        assertThatThrownBy(() -> decode(new TimeoutException("slow")))
                .isInstanceOf(UnavailableException.class);
    }

    @Test
    void refusesNullWhichWouldPassForATombstone() {
        assertThatThrownBy(() -> format(data -> null).decode(VALUE, SampleMessages.tombstone()))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("null");
    }

    private void decode(RuntimeException thrown) {
        format(
                        data -> {
                            throw thrown;
                        })
                .decode(VALUE, SampleMessages.tombstone());
    }

    private DeserializerValueFormat<String> format(Function<byte[], @Nullable String> read) {
        return new DeserializerValueFormat<>(new Deserializers<>(() -> new Fake(read), () -> 0));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
