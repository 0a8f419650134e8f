package dev.envelope.integration.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.docs.Checkout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** How large a file and a package of the product may be. */
class SizesTest {

    /** What one reads at a sitting. */
    private static final int MOST_LINES = 400;

    /** What one finds by name. */
    private static final int MOST_FILES = 20;

    private static final Set<String> LARGER_PACKAGES = Set.of();

    static final List<Path> FILES =
            Checkout.files(".java").stream().filter(SizesTest::isOfTheProduct).toList();

    private static boolean isOfTheProduct(Path file) {
        String name = Checkout.name(file);
        return name.contains("/src/main/")
                && !name.startsWith("integration-tests/")
                && !name.endsWith("package-info.java");
    }

    @Test
    void noFileIsTooLongToBeReadAtASitting() {
        Map<String, Long> tooLong = new TreeMap<>();
        for (Path file : FILES) {
            long lines = Checkout.read(file).lines().count();
            if (lines > MOST_LINES) {
                tooLong.put(Checkout.name(file), lines);
            }
        }
        assertThat(FILES).hasSizeGreaterThan(300);
        assertThat(tooLong).isEmpty();
    }

    @Test
    void noPackageHasTooManyFilesToFindOneByItsName() {
        Map<String, Long> packages =
                FILES.stream()
                        .collect(
                                Collectors.groupingBy(
                                        SizesTest::packageOf, TreeMap::new, Collectors.counting()));
        List<String> tooLarge =
                packages.entrySet().stream()
                        .filter(it -> it.getValue() > MOST_FILES)
                        .map(it -> it.getKey() + " has " + it.getValue())
                        .toList();
        assertThat(packages).hasSizeGreaterThan(30);
        Exceptions.hold(tooLarge, LARGER_PACKAGES);
    }

    private static String packageOf(Path file) {
        String name = Checkout.name(file.resolveSibling(""));
        return name.substring(name.indexOf("/java/") + "/java/".length()).replace('/', '.');
    }

    @Test
    void anExceptionThatIsNotNeededIsAFailureAndSoIsABreach() {
        assertThatThrownBy(() -> Exceptions.hold(List.of("a has 21"), Set.of("a", "b")))
                .hasMessageContaining("not needed")
                .hasMessageContaining("b");
        assertThatThrownBy(() -> Exceptions.hold(List.of("a has 21"), Set.of()))
                .hasMessageContaining("a has 21");
    }
}
