package dev.envelope.app.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkBatch;
import dev.envelope.idempotency.work.WorkBatch.Item;
import dev.envelope.idempotency.work.WorkBatchInTransaction;
import dev.envelope.idempotency.work.WorkInTransaction;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WorkHandlersTest {

    /** A value. */
    public record Payment(long amount) {}

    /** Notes what it is given, and that it is closed. */
    public static final class Noting implements Work<Payment>, AutoCloseable {

        private final List<String> notes = new ArrayList<>();
        private final String prefix;

        public Noting(Map<String, String> config) {
            prefix = config.getOrDefault("prefix", "");
        }

        @Override
        public void run(@Nullable Payment value, Message message) {
            notes.add(prefix + value);
        }

        @Override
        public void close() {
            notes.add("closed");
        }
    }

    /** Counts what it is given at a time. */
    public static final class Counting implements WorkBatch<Payment> {

        @Override
        public void run(List<Item<Payment>> batch) {}
    }

    /** Writes in a transaction. */
    public static final class Booking implements WorkInTransaction<Payment> {

        @Override
        public void run(@Nullable Payment value, Message message, Connection connection) {}
    }

    /** The same, several at a time. */
    public static final class Bookings implements WorkBatchInTransaction<Payment> {

        @Override
        public void run(List<Item<Payment>> batch, Connection connection) {}
    }

    /** Can't decide. */
    public static final class Both implements Work<Payment>, WorkBatch<Payment> {

        @Override
        public void run(@Nullable Payment value, Message message) {}

        @Override
        public void run(List<Item<Payment>> batch) {}
    }

    /** A handler with rows. */
    public static final class Rows implements Fold<Payment, Payment> {

        @Override
        public @Nullable Payment apply(
                @Nullable Payment state, @Nullable Payment value, Message message) {
            return value;
        }
    }

    /** Does not say of what. */
    @SuppressWarnings("rawtypes")
    public static final class Untyped implements Work {

        @Override
        public void run(@Nullable Object value, Message message) {}
    }

    private static HandlerRequest request(String name, Map<String, String> config) {
        return new HandlerRequest(
                name, Map.of(), config, List.of(), "json", Map.of(), new GivenUpFields());
    }

    private static WorkSpec<?> work(String name, Map<String, String> config) {
        return Handlers.work(request(name, config), Optional.empty(), Optional.empty(), "receipts");
    }

    private static <M> void run(WorkSpec<M> spec, String json) throws Exception {
        Message message = FoldRunner.message(json.getBytes(StandardCharsets.UTF_8));
        byte @Nullable [] value = message.value();
        @Nullable M decoded = value == null ? null : spec.valueFormat().decode(value, message);
        spec.calls().call().run(List.of(new Item<>(decoded, message)), null);
    }

    @Test
    void aClassThatWritesInATransactionIsToldFromOneThatDoesNot() {
        assertThat(work(Booking.class.getName(), Map.of()).calls().inTransaction()).isTrue();
        WorkSpec<?> many = work(Bookings.class.getName(), Map.of());
        assertThat(many.calls().inTransaction()).isTrue();
        assertThat(many.calls().most()).isEqualTo(100);
        assertThat(many.description()).endsWith("up to 100 at a time, in a transaction");
        assertThat(work(Counting.class.getName(), Map.of()).calls().inTransaction()).isFalse();
    }

    @Test
    void aClassGetsDecodedValuesAndItsSettings() throws Exception {
        WorkSpec<?> spec = work(Noting.class.getName(), Map.of("prefix", "> "));
        run(spec, "{\"amount\":5}");
        spec.close();

        assertThat(spec.calls().handler())
                .isInstanceOfSatisfying(
                        Noting.class,
                        it ->
                                assertThat(it.notes)
                                        .containsExactly("> Payment[amount=5]", "closed"));
        assertThat(spec.description()).isEqualTo(Noting.class.getName() + ": Payment");
    }

    @Test
    void eachKindIsToldOfTheModeThatItBelongsTo() {
        assertThatThrownBy(() -> work(Rows.class.getName(), Map.of()))
                .hasMessageContaining("does not implement " + Work.class.getName());
        assertThatThrownBy(() -> Handlers.resolve(request(Noting.class.getName(), Map.of())))
                .hasMessageContaining("is work, which keeps no rows: add mode=work");
    }

    @Test
    void aClassThatTakesBatchesGetsSoManyAtATime() {
        HandlerRequest request = request(Counting.class.getName(), Map.of());

        assertThat(Handlers.work(request, Optional.empty(), Optional.empty(), "a").calls().most())
                .isEqualTo(100);
        assertThat(Handlers.work(request, Optional.empty(), Optional.of(7), "a").calls().most())
                .isEqualTo(7);
        assertThatThrownBy(
                        () ->
                                Handlers.work(
                                        request(Noting.class.getName(), Map.of()),
                                        Optional.empty(),
                                        Optional.of(7),
                                        "a"))
                .hasMessageContaining("takes one message at a time");
        assertThatThrownBy(() -> work(Both.class.getName(), Map.of()))
                .hasMessageContaining("implements both Work and WorkBatch");
    }

    @Test
    void saysWhatIsWrongWithIt() {
        assertThatThrownBy(() -> work(Untyped.class.getName(), Map.of()))
                .hasMessageContaining("write Work<TheValue> with a class");
        assertThatThrownBy(() -> work("htpp", Map.of())).hasMessageContaining("did you mean http?");
        assertThatThrownBy(() -> work("http", Map.of()))
                .hasMessageContaining("needs handler.http.url");
    }
}
