package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import dev.envelope.idempotency.fold.UnreadableStateException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** What of a record stands in the row. */
@SuppressWarnings("unused") // the methods are there to be found
class RecordStatesTest {

    interface Priced {
        default String getCurrency() {
            return "EUR";
        }
    }

    record Flat(long sum, boolean open) implements Priced {
        public boolean isBig() {
            return sum > 100;
        }

        public boolean isOpen() { // the component by another name
            return !open;
        }

        public long getTwice() {
            return 2 * sum;
        }

        public String getURL() {
            return "/" + sum;
        }
    }

    record Line(String item, int count) {
        public boolean isEmpty() {
            return count == 0;
        }
    }

    record Order(Line first, List<Line> lines, Map<String, Line> byName, Old old) {
        public List<String> getNames() {
            return lines.stream().map(Line::item).toList();
        }

        public Line getLast() {
            return lines.get(lines.size() - 1);
        }
    }

    /** A component may be called as a getter is. */
    record Odd(int getCount, boolean isBig) {}

    record Annotated(long sum) {
        @JsonProperty
        public long getTwice() {
            return 2 * sum;
        }

        @JsonGetter("third")
        public long thrice() {
            return 3 * sum;
        }

        public boolean isBig() {
            return sum > 100;
        }
    }

    /** A plain class: its rules are those of beans. */
    static final class Old {
        private int count;

        public int getCount() {
            return count;
        }

        public void setCount(int count) {
            this.count = count;
        }
    }

    static final class WithoutAPlace {
        public int count;

        public boolean isBig() {
            return count > 100;
        }
    }

    record Holder(WithoutAPlace inner) {}

    private static final String ORDER =
            "{\"first\":{\"item\":\"a\",\"count\":0},\"lines\":[{\"item\":\"a\",\"count\":0},"
                    + "{\"item\":\"b\",\"count\":2}],\"byName\":{\"b\":{\"item\":\"b\",\"count\":2}},"
                    + "\"old\":{\"count\":3}}";

    private static Order order() {
        Line a = new Line("a", 0);
        Line b = new Line("b", 2);
        Old old = new Old();
        old.setCount(3);
        return new Order(a, List.of(a, b), Map.of("b", b), old);
    }

    @Test
    void theComponentsOfARecordAreWrittenAndNothingElse() {
        assertThat(written(Flat.class, new Flat(200, true)))
                .isEqualTo("{\"sum\":200,\"open\":true}");
        assertThat(written(Order.class, order())).isEqualTo(ORDER);
        assertThat(written(Odd.class, new Odd(1, true)))
                .isEqualTo("{\"getCount\":1,\"isBig\":true}");
    }

    @Test
    void whatIsAnnotatedIsWrittenTooAndPassedOverWhenItIsRead() {
        JsonStateCodec<Annotated> codec = JsonStateCodec.of(Annotated.class);
        byte[] json = codec.encode(new Annotated(5));
        assertThat(JsonMapper.shared().readTree(json))
                .isEqualTo(JsonMapper.shared().readTree("{\"sum\":5,\"twice\":10,\"third\":15}"));
        assertThat(codec.decode(json)).isEqualTo(new Annotated(5));
    }

    @Test
    void rowsWithWhatTheGettersOfARecordOnceWroteAreReadAndLoseItAtTheNextSave() {
        JsonMapper former = JsonMapper.builder().build();
        Flat state = new Flat(200, true);
        String flat = text(former.writeValueAsBytes(state));
        assertThat(flat).contains("\"big\":true", "\"twice\":400", "\"URL\":", "\"currency\":");
        assertThat(flat).contains("\"open\":false"); // it took isOpen() for the component
        JsonStateCodec<Flat> flats = JsonStateCodec.of(Flat.class);
        Flat read = flats.decode(bytes(flat.replace("\"open\":false", "\"open\":true")));
        assertThat(read).isEqualTo(state);
        assertThat(text(flats.encode(read))).isEqualTo("{\"sum\":200,\"open\":true}");

        byte[] nested = former.writeValueAsBytes(order());
        assertThat(text(nested)).contains("\"empty\":true", "\"names\":[", "\"last\":{");
        JsonStateCodec<Order> orders = JsonStateCodec.of(Order.class);
        assertThat(text(orders.encode(orders.decode(nested)))).isEqualTo(ORDER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"sum\":1,\"open\":true,\"later\":1}",
                "{\"sum\":1,\"open\":true,\"isBig\":true}",
                "{\"sum\":1,\"open\":true,\"getTwice\":2}",
                "{\"sum\":1,\"open\":true,\"empty\":true}",
                "{\"sum\":1,\"open\":true,\"class\":\"x\"}"
            })
    void anyOtherNameIsRefusedAsBefore(String json) {
        JsonStateCodec<Flat> codec = JsonStateCodec.of(Flat.class);
        assertThatThrownBy(() -> codec.decode(bytes(json)))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessageContaining("Unrecognized");
    }

    @Test
    void theGettersOfOneRecordExcuseNoNameInAnother() {
        JsonStateCodec<Order> codec = JsonStateCodec.of(Order.class);
        assertThat(codec.decode(bytes(ORDER.replace("\"count\":0", "\"count\":0,\"empty\":true"))))
                .isNotNull();
        for (String wrong :
                List.of(
                        ORDER.replace("\"count\":0", "\"count\":0,\"names\":[]"),
                        ORDER.replace("\"old\":", "\"empty\":true,\"old\":"),
                        ORDER.replace("{\"count\":3}", "{\"count\":3,\"empty\":true}"))) {
            assertThatThrownBy(() -> codec.decode(bytes(wrong)))
                    .as(wrong)
                    .isInstanceOf(UnreadableStateException.class);
        }
    }

    @Test
    void messagesPassOverThemAsTheyDoOverAnyName() {
        JsonValueFormat<Order> format = JsonValueFormat.of(Order.class);
        String json = ORDER.replace("{\"first\"", "{\"names\":[\"a\"],\"any\":1,\"first\"");
        assertThat(format.decode(bytes(json), SampleMessages.tombstone()).getNames())
                .containsExactly("a", "b");
    }

    /** Otherwise it would be lost at the next load; with a record the components bring it back. */
    @Test
    void aGetterOfAPlainClassThatHasNoPlaceToBeReadIntoIsRefusedAtOnce() {
        List<Runnable> writes = new ArrayList<>();
        writes.add(() -> JsonStateCodec.of(WithoutAPlace.class).encode(new WithoutAPlace()));
        writes.add(() -> JsonStateCodec.of(Holder.class).encode(new Holder(new WithoutAPlace())));
        for (Runnable write : writes) {
            assertThatThrownBy(write::run)
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("read back")
                    .hasMessageContaining("big");
        }
    }

    private static <S> String written(Class<S> type, S state) {
        JsonStateCodec<S> codec = JsonStateCodec.of(type);
        byte[] json = codec.encode(state);
        codec.decode(json);
        return text(json);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
