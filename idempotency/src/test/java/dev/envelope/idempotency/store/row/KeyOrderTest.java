package dev.envelope.idempotency.store.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyOrderTest {

    private static final int[] CODE_POINTS = {
        0, 'a', 'z', 0x7f, 0x80, 0x7ff, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff
    };

    @Test
    void keysAreOrderedByTheirUtf8Bytes() {
        List<String> keys = keys("", 2_000);
        List<String> expected = inOrderOfBytes(keys);

        keys.sort(KeyOrder.BY_BYTES);

        assertThat(keys).isEqualTo(expected);
    }

    @Test
    void placesFollowTheSameOrderWhateverTheKeysBeginWith() {
        for (String prefix : List.of("", "a", "account-", "\ud83d", "\ue000")) {
            for (int size : new int[] {0, 1, 2, 3, 64, 65, 500}) {
                List<String> keys = keys(prefix, size);

                int[] places = KeyOrder.places(keys, key -> key);

                assertThat(places).doesNotHaveDuplicates().hasSize(size);
                assertThat(Arrays.stream(places).mapToObj(keys::get))
                        .isSortedAccordingTo(KeyOrder.BY_BYTES);
            }
        }
    }

    private static List<String> inOrderOfBytes(List<String> keys) {
        List<String> expected = new ArrayList<>(keys);
        expected.sort(
                Comparator.comparing(
                        key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        return expected;
    }

    private static List<String> keys(String prefix, int size) {
        Random random = new Random(11);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            StringBuilder key = new StringBuilder(prefix);
            for (int length = random.nextInt(7); length > 0; length--) {
                key.appendCodePoint(CODE_POINTS[random.nextInt(CODE_POINTS.length)]);
            }
            keys.add(key.toString());
        }
        return keys;
    }
}
