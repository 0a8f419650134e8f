package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Scalars.Kind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PointerReaderTest {

    @Test
    void findsEveryKindOfValue() {
        Scalars found =
                read(
                        "{\"l\":-9223372036854775808,\"b\":9223372036854775808,\"d\":0.10,\"e\":1E+2,"
                                + "\"t\":\"x\",\"y\":true,\"n\":null,\"o\":{},\"a\":[1]}",
                        "/l",
                        "/b",
                        "/d",
                        "/e",
                        "/t",
                        "/y",
                        "/n",
                        "/o",
                        "/a",
                        "/none");
        assertThat(found.kind(0)).isEqualTo(Kind.LONG);
        assertThat(found.asLong(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(found.asDecimal(0)).isEqualTo(BigDecimal.valueOf(Long.MIN_VALUE));
        assertThat(found.kind(1)).isEqualTo(Kind.DECIMAL);
        assertThat(found.asDecimal(1)).isEqualTo(new BigDecimal("9223372036854775808"));
        assertThat(found.asDecimal(2)).isEqualTo(new BigDecimal("0.10"));
        assertThat(found.asDecimal(3)).isEqualByComparingTo("100");
        assertThat(found.asText(4)).isEqualTo("x");
        assertThat(found.asBoolean(5)).isTrue();
        assertThat(found.kind(6)).isEqualTo(Kind.MISSING);
        assertThat(found.kind(7)).isEqualTo(Kind.STRUCTURE);
        assertThat(found.kind(8)).isEqualTo(Kind.STRUCTURE);
        assertThat(found.kind(9)).isEqualTo(Kind.MISSING);
    }

    @Test
    void followsPathsThroughObjectsAndArrays() {
        Scalars found =
                read(
                        "{\"z\":[{\"p\":9}],\"a\":[{\"p\":1},{\"p\":2,\"q\":[5,6]}],\"0\":7}",
                        "/a/1/p",
                        "/a/1/q/0",
                        "/a/0/p",
                        "/0",
                        "/a/2",
                        "/a/01",
                        "/a/-");
        assertThat(found.asLong(0)).isEqualTo(2);
        assertThat(found.asLong(1)).isEqualTo(5);
        assertThat(found.asLong(2)).isEqualTo(1);
        assertThat(found.asLong(3)).isEqualTo(7);
        assertThat(found.isMissing(4)).isTrue();
        assertThat(found.isMissing(5)).isTrue();
        assertThat(found.isMissing(6)).isTrue();
    }

    @Test
    void unescapesPointersAndNames() {
        Scalars found =
                read(
                        "{\"a/b\":1,\"m~n\":2,\"\":3,\"\\u0061\":4,\"é\":5}",
                        "/a~1b",
                        "/m~0n",
                        "/",
                        "/a",
                        "/é");
        for (int i = 0; i < 5; i++) {
            assertThat(found.asLong(i)).isEqualTo(i + 1);
        }
    }

    @Test
    void readsTheWholeDocumentWhenThePointerIsEmpty() {
        assertThat(read("42", "").asLong(0)).isEqualTo(42);
        assertThat(read("{\"a\":1}", "", "/a").kind(0)).isEqualTo(Kind.STRUCTURE);
        assertThat(read("{\"a\":1}", "", "/a").asLong(1)).isEqualTo(1);
    }

    @Test
    void looksIntoAPlaceThatIsAskedForItself() {
        Scalars found = read("{\"a\":{\"b\":1}}", "/a", "/a/b");
        assertThat(found.kind(0)).isEqualTo(Kind.STRUCTURE);
        assertThat(found.asLong(1)).isEqualTo(1);
        assertThat(read("{\"a\":3}", "/a", "/a/b").asLong(0)).isEqualTo(3);
    }

    @Test
    void refusesTwiceTheSameNameWhereItIsAskedFor() {
        assertRefused("{\"a\":1,\"a\":1}", "/a");
        assertRefused("{\"a\":{},\"a\":{\"b\":1}}", "/a/b");
        assertRefused("{\"a\":1,\"\\u0061\":1}", "/a");
        assertThat(read("{\"z\":1,\"z\":2,\"a\":3}", "/a").asLong(0)).isEqualTo(3);
        assertThat(read("[{\"a\":1},{\"a\":2}]", "/0/a", "/1/a").asLong(1)).isEqualTo(2);
    }

    @Test
    void refusesNumbersWithEndlessExponents() {
        assertRefused("{\"a\":1e99999999999}", "/a");
        assertRefused("{\"a\":1e-99999999999}", "/a");
    }

    @Test
    void refusesTextsThatAreNoPointers() {
        for (String wrong : List.of("amount", "a/b", "/a~2", "/a~", "#/a")) {
            assertThatThrownBy(() -> PointerReader.check(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Scalars read(String document, String... pointers) {
        return new PointerReader(Json.standard(), List.of(pointers))
                .read(document.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRefused(String document, String... pointers) {
        assertThatThrownBy(() -> read(document, pointers))
                .isInstanceOf(MalformedException.class)
                .satisfies(JsonStateCodecTest::isBrief);
    }
}
