package dev.envelope.core.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.testkit.ManualEnvironment;
import java.net.ConnectException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class DeserializersTest {

    private static final byte[] OF_SCHEMA_7 = {0, 0, 0, 0, 7, 1};
    private static final byte[] OF_SCHEMA_8 = {0, 0, 0, 0, 8, 1};
    private static final byte[] OF_NO_SCHEMA = {'a', 'b', 'c', 'd', 'e', 'f'};

    private final ManualEnvironment environment = new ManualEnvironment();
    private Function<byte[], String> read = bytes -> "read " + bytes[4];
    private int calls;
    private final Deserializers<String> deserializers =
            new Deserializers<>(
                    () ->
                            (Deserializer<String>)
                                    (topic, bytes) -> {
                                        calls++;
                                        return read.apply(bytes);
                                    },
                    environment.environment().ticker());

    private @Nullable String decode(byte[] bytes) throws Deserializers.BadBytes {
        return deserializers.decode("t", new RecordHeaders(), bytes);
    }

    private static Function<byte[], String> refusing(Throwable cause) {
        return bytes -> {
            throw new SerializationException("no", cause);
        };
    }

    @Test
    void afterAnOutageASchemaRestsForAMomentAndTheOthersDoNot() throws Exception {
        read = refusing(new ConnectException("refused"));
        assertThatThrownBy(() -> decode(OF_SCHEMA_7)).isInstanceOf(DecoderOutException.class);
        assertThatThrownBy(() -> decode(OF_SCHEMA_7))
                .isInstanceOfSatisfying(
                        DecoderOutException.class, it -> assertThat(it.isClear()).isTrue());
        assertThat(calls).as("asked once").isEqualTo(1);

        read = bytes -> "read " + bytes[4];
        assertThat(decode(OF_SCHEMA_8)).isEqualTo("read 8");
        environment.advance(Duration.ofSeconds(6));
        assertThat(decode(OF_SCHEMA_7)).isEqualTo("read 7");
        assertThat(decode(OF_SCHEMA_7)).isEqualTo("read 7");
    }

    @Test
    void whileOneCallHangsOthersOfItsSchemaAreTurnedAwayAndTheRestIsDecoded() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        read =
                bytes -> {
                    if (bytes[4] == 7) {
                        hangs.countDown();
                        awaitQuietly(over);
                    }
                    return "read " + bytes[4];
                };
        Thread first = new Thread(() -> decodeQuietly(OF_SCHEMA_7));
        first.start();
        hangs.await();
        environment.advance(Duration.ofMillis(200));

        assertThatThrownBy(() -> decode(OF_SCHEMA_7))
                .isInstanceOf(DecoderOutException.class)
                .hasMessageContaining("schema with id 7");
        assertThat(decode(OF_SCHEMA_8)).isEqualTo("read 8");
        assertThat(decode(OF_NO_SCHEMA)).isEqualTo("read 101");

        over.countDown();
        first.join();
        assertThat(decode(OF_SCHEMA_7)).isEqualTo("read 7");
    }

    @Test
    void aCallThatHangsForANewSchemaTakesNothingAlongThatIsKnownOfOthers() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean isAway = new AtomicBoolean();
        Deserializers<String> asking =
                new Deserializers<>(
                        () -> asksOnce(isAway, hangs, over), environment.environment().ticker());
        asking.decode("t", new RecordHeaders(), OF_SCHEMA_8); // as the first of its schema
        asking.decode("t", new RecordHeaders(), OF_SCHEMA_8);

        isAway.set(true);
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(() -> decodeQuietly(asking, OF_SCHEMA_7));
        hangs.await();
        environment.advance(Duration.ofMillis(200));

        assertThat(asking.decode("t", new RecordHeaders(), OF_SCHEMA_8)).isEqualTo("read 8");
        over.countDown();
        first.join();
    }

    /** Asks a registry for each schema once, and keeps the answer for itself. */
    private static Deserializer<String> asksOnce(
            AtomicBoolean isAway, CountDownLatch hangs, CountDownLatch over) {
        Set<Byte> known = new HashSet<>();
        return (topic, bytes) -> {
            if (known.add(bytes[4]) && isAway.get()) {
                hangs.countDown();
                awaitQuietly(over);
            }
            return "read " + bytes[4];
        };
    }

    private static void decodeQuietly(Deserializers<String> deserializers, byte[] bytes) {
        try {
            deserializers.decode("t", new RecordHeaders(), bytes);
        } catch (Deserializers.BadBytes e) {
            throw new AssertionError(e);
        }
    }

    private void decodeQuietly(byte[] bytes) {
        decodeQuietly(deserializers, bytes);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aCallThatNeverComesBackDoesNotKeepItsSchemaForEver() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        read =
                bytes -> {
                    hangs.countDown();
                    awaitQuietly(over);
                    return "late";
                };
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(() -> decodeQuietly(OF_SCHEMA_7));
        hangs.await();
        read = bytes -> "read " + bytes[4];
        environment.advance(Duration.ofSeconds(20));
        assertThatThrownBy(() -> decode(OF_SCHEMA_7)).isInstanceOf(DecoderOutException.class);

        environment.advance(Duration.ofSeconds(20));
        assertThat(decode(OF_SCHEMA_7)).isEqualTo("read 7");
        assertThat(decode(OF_SCHEMA_7)).isEqualTo("read 7");
        over.countDown();
        first.join();
    }

    @Test
    void badBytesMakeNoSchemaRest() throws Exception {
        read = refusing(new IllegalArgumentException("no such field"));
        assertThatThrownBy(() -> decode(OF_SCHEMA_7)).isInstanceOf(Deserializers.BadBytes.class);

        read = bytes -> "read " + bytes[4];
        assertThat(decode(OF_SCHEMA_7)).isEqualTo("read 7");
    }

    @Test
    void thatNoneCanBeMadeSaysNothingAboutTheBytes() {
        Deserializers<String> unmade =
                new Deserializers<>(
                        () -> {
                            throw new IllegalStateException("its settings are refused");
                        },
                        environment.environment().ticker());

        assertThatThrownBy(() -> unmade.decode("t", new RecordHeaders(), OF_SCHEMA_7))
                .isInstanceOfSatisfying(
                        DecoderOutException.class, it -> assertThat(it.isClear()).isFalse());
    }
}
