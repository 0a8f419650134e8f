package dev.envelope.app.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.Fold;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlersTest {

    /** A state. */
    public record Total(long total) {}

    /** A value. */
    public record Payment(long amount) {}

    /** A handler that takes its settings. */
    public static final class Adding implements Fold<Total, Payment> {

        private final long factor;

        public Adding(Map<String, String> config) {
            factor = Long.parseLong(config.getOrDefault("factor", "1"));
        }

        @Override
        public Total apply(@Nullable Total state, @Nullable Payment value, Message message) {
            long before = state == null ? 0 : state.total();
            return new Total(before + (value == null ? 0 : value.amount() * factor));
        }
    }

    /** Finds its types further up. */
    public abstract static class Passed<X> implements Fold<List<X>, X> {

        @Override
        public List<X> apply(@Nullable List<X> state, @Nullable X value, Message message) {
            List<X> next = new ArrayList<>(state == null ? List.of() : state);
            if (value != null) {
                next.add(value);
            }
            return next;
        }
    }

    /** A handler that emits. */
    public static final class Emitting implements EffectFold<Total, Payment> {

        @Override
        public Total apply(@Nullable Total state, @Nullable Payment value, Effects effects) {
            effects.emit("out", effects.message().key(), "v");
            return new Total(value == null ? 0 : value.amount());
        }
    }

    /** One that does not know which it is. */
    public static final class Both implements Fold<Total, Payment>, EffectFold<Total, Payment> {

        @Override
        public Total apply(@Nullable Total state, @Nullable Payment value, Message message) {
            return new Total(0);
        }

        @Override
        public Total apply(@Nullable Total state, @Nullable Payment value, Effects effects) {
            return new Total(0);
        }
    }

    /** A handler of text. */
    public static final class Texts extends Passed<String> {}

    /** A handler of Longs, as a Deserializer makes them. */
    public static final class Longs extends Passed<Long> {}

    /** Finds a class by its name where those of Avro do, and makes any CharSequence. */
    public static final class Named<T extends CharSequence> implements Deserializer<T> {

        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            load();
        }

        @Override
        @SuppressWarnings("unchecked")
        public T deserialize(String topic, byte[] data) {
            load();
            return (T) new String(data, StandardCharsets.UTF_8);
        }

        private static void load() {
            try {
                ClassLoader loader = Thread.currentThread().getContextClassLoader();
                Class.forName(Named.class.getName(), false, loader);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Says neither what it keeps nor what it takes. */
    @SuppressWarnings("rawtypes")
    public static final class Untyped implements Fold {

        @Override
        public @Nullable Object apply(
                @Nullable Object state, @Nullable Object value, Message message) {
            return state;
        }
    }

    /** Has no constructor that anybody could call. */
    public static final class Closed extends Passed<String> {

        public Closed(int size) {
            throw new IllegalStateException("not called: " + size);
        }
    }

    /** Keeps what no document could be read as. */
    public static final class Unreadable implements Fold<Runnable, String> {

        @Override
        public @Nullable Runnable apply(
                @Nullable Runnable state, @Nullable String value, Message message) {
            return state;
        }
    }

    /** Fails while it is made. */
    public static final class Failing extends Passed<String> {

        public Failing() {
            throw new IllegalStateException("no licence");
        }
    }

    /** Refuses its settings. */
    public static final class Choosy extends StringDeserializer {

        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            throw new IllegalArgumentException("url is missing");
        }
    }

    @Test
    void makesAHandlerOfRecordsWithItsSettings() {
        HandlerSpec<?, ?> spec =
                Handlers.resolve(request(Adding.class, "json", Map.of("factor", "10")));
        assertThat(new FoldRunner<>(spec).fold("{\"amount\":4}").reload().fold("{\"amount\":1}"))
                .extracting(FoldRunner::saved)
                .isEqualTo("{\"total\":50}");
        assertThat(spec.description()).contains("(Total, Payment) -> Total");
    }

    @Test
    void findsTypesThatStandFurtherUp() {
        FoldRunner<?, ?> runner =
                new FoldRunner<>(Handlers.resolve(request(Texts.class, "string", Map.of())));
        assertThat(runner.fold("a", "b").reload().fold("c").saved())
                .isEqualTo("[\"a\",\"b\",\"c\"]");
    }

    @Test
    void aDeserializerIsCalledWithItsOwnClassLoaderAndBelievedToMakeTheSubtypeThatIsWanted() {
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            HandlerSpec<?, ?> spec =
                    Handlers.resolve(request(Texts.class, Named.class.getName(), Map.of()));
            byte[] value = "x".getBytes(StandardCharsets.UTF_8);
            assertThat(spec.valueFormat().decode(value, FoldRunner.message(value))).isEqualTo("x");
        } finally {
            Thread.currentThread().setContextClassLoader(HandlersTest.class.getClassLoader());
        }
    }

    @Test
    void readsValuesWithAnyDeserializer() throws Exception {
        HandlerSpec<?, ?> spec =
                Handlers.resolve(request(Longs.class, LongDeserializer.class.getName(), Map.of()));
        FoldRunner<?, ?> runner = new FoldRunner<>(spec);
        assertThat(runner.fold("\0\0\0\0\0\0\0\7").reload().saved()).isEqualTo("[7]");
        spec.close();
    }

    @Test
    void findsAHandlerInAJarOfAFolder(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("own.jar");
        String name = "acme.Own";
        String copied = Own.class.getName().replace('.', '/') + ".class";
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            entries.putNextEntry(new ZipEntry(copied));
            try (InputStream in = Own.class.getClassLoader().getResourceAsStream(copied)) {
                assertThat(in).isNotNull();
                in.transferTo(entries);
            }
            entries.putNextEntry(new ZipEntry("org/acme/Elsewhere.class"));
            new ByteArrayInputStream(new byte[] {1}).transferTo(entries);
        }
        HandlerRequest found = request(Own.class.getName(), "string", List.of(folder));
        assertThat(Handlers.resolve(found).fold()).isNotNull();

        assertRefused(
                request("Elsewhere", "string", List.of(jar)), "did you mean org.acme.Elsewhere?");
        assertRefused(request(name, "string", List.of(jar)), "there is no class acme.Own");
        assertRefused(
                request("org.acme.Elsewhere", "string", List.of(jar)),
                "needs a class that is not there or does not fit");
    }

    /** Copied into a jar by a test. */
    public static final class Own extends Passed<String> {}

    @Test
    void aHandlerThatEmitsIsFoundByItsInterface() {
        assertThat(Handlers.resolve(request(Emitting.class, "json", Map.of())))
                .satisfies(it -> assertThat(it.fold().emits()).isTrue())
                .satisfies(it -> assertThat(it.fold().function()).isInstanceOf(Emitting.class))
                .satisfies(it -> assertThat(it.description()).contains("Total, Payment"));
        assertThat(Handlers.resolve(request(Adding.class, "json", Map.of())).fold().emits())
                .isFalse();
        assertRefused(request(Both.class, "json", Map.of()), "leave out one");
    }

    @Test
    void saysWhatIsWrongWithAnOwnHandler() {
        String texts = Texts.class.getName();
        assertRefused(request("acme.Missing", "json", List.of()), "add its jar to handler.path");
        assertRefused(request("flod", "json", List.of()), "did you mean fold?");
        assertRefused(request("java.lang.String", "json", List.of()), "does not implement");
        assertRefused(request(Untyped.class, "json", Map.of()), "does not say what");
        assertRefused(request(Unreadable.class, "string", Map.of()), "make it a record");
        assertRefused(request(Closed.class, "string", Map.of()), "needs a public constructor");
        assertRefused(request(Passed.class, "string", Map.of()), "");
        assertRefused(request(Failing.class, "string", Map.of()), "no licence");
        assertRefused(request(Texts.class, "string", Map.of("a", "b")), "handler.config.* is set");
        assertRefused(request(Adding.class, "string", Map.of()), "string gives String, but");
        assertRefused(request(Adding.class, "bytes", Map.of()), "bytes gives byte[], but");
        assertRefused(request(texts, "strnig", List.of()), "did you mean string?");
        assertRefused(request(texts, "protobuf", List.of()), "name of a Deserializer class");
        assertRefused(request(texts, "java.lang.String", List.of()), "does not implement");
        assertRefused(
                request(texts, LongDeserializer.class.getName(), List.of()),
                "LongDeserializer gives Long, but");
        assertRefused(request(texts, Choosy.class.getName(), List.of()), "url is missing");
        assertRefused(request(texts, Deserializer.class.getName(), List.of()), "");
        assertRefused(request(texts, "string", List.of(Path.of("none.jar"))), "is not there");
    }

    @Test
    void saysAllThatIsWrongWithExpressionsAtOnce() {
        assertThatThrownBy(
                        () ->
                                Handlers.resolve(
                                        FoldRunner.expressions(
                                                "a",
                                                "summ(/a)",
                                                "$x",
                                                "count()",
                                                "ok",
                                                "count()",
                                                "b",
                                                "sum(")))
                .isInstanceOfSatisfying(
                        HandlerException.class,
                        e ->
                                assertThat(e.problems())
                                        .extracting(HandlerException.Problem::setting)
                                        .containsExactly(
                                                "handler.fold.a",
                                                "handler.fold.$x",
                                                "handler.fold.b"));
        assertRefused(FoldRunner.expressions(), "handler.fold.balance=sum(/amount)");
    }

    @Test
    void refusesSettingsThatTheHandlerDoesNotRead() {
        Map<String, String> some = Map.of("a", "count()");
        assertRefused(
                new HandlerRequest(
                        "latest", some, Map.of(), List.of(), "json", Map.of(), new GivenUpFields()),
                "only handler=fold reads it");
        assertRefused(
                new HandlerRequest(
                        "fold", some, some, List.of(), "json", Map.of(), new GivenUpFields()),
                "does not read it");
        assertRefused(
                new HandlerRequest(
                        "fold", some, Map.of(), List.of(), "string", Map.of(), new GivenUpFields()),
                "set value.format to json or debezium");
    }

    @Test
    void builtInHandlersReadTheRowOfAChangeEvent() {
        byte[] event = "{\"op\":\"u\",\"after\":{\"id\":1}}".getBytes(StandardCharsets.UTF_8);
        HandlerSpec<?, ?> latest =
                Handlers.resolve(
                        new HandlerRequest(
                                "latest",
                                Map.of(),
                                Map.of(),
                                List.of(),
                                "debezium",
                                Map.of(),
                                new GivenUpFields()));
        assertThat(latest.valueFormat().decode(event, FoldRunner.message(event)))
                .isEqualTo("{\"id\":1}".getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRefused(HandlerRequest request, String said) {
        assertThatThrownBy(() -> Handlers.resolve(request))
                .isInstanceOf(HandlerException.class)
                .hasMessageContaining(said)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContainPattern("\\p{Cntrl}"));
    }

    private static HandlerRequest request(
            Class<?> handler, String valueFormat, Map<String, String> config) {
        return new HandlerRequest(
                handler.getName(),
                Map.of(),
                config,
                List.of(),
                valueFormat,
                Map.of(),
                new GivenUpFields());
    }

    private static HandlerRequest request(String handler, String valueFormat, List<Path> path) {
        return new HandlerRequest(
                handler, Map.of(), Map.of(), path, valueFormat, Map.of(), new GivenUpFields());
    }
}
