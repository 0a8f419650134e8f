package dev.envelope.integration.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What the types are called, and that every package says what null means in it. */
class NamesTest {

    /** Words that say nothing about the class that bears them. */
    private static final Set<String> EMPTY_WORDS =
            Set.of(
                    "Manager",
                    "Helper",
                    "Helpers",
                    "Util",
                    "Utils",
                    "Impl",
                    "Base",
                    "Abstract",
                    "Processor",
                    "Service",
                    "Data",
                    "Info");

    private static final Pattern BETWEEN_WORDS =
            Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    @Test
    void noTypeIsNamedWithAnEmptyWord() {
        assertThat(ProductClasses.ALL)
                .filteredOn(NamesTest::isNamedWithAnEmptyWord)
                .extracting(JavaClass::getName)
                .isEmpty();
    }

    @Test
    void aTypeThatIsNamedWithOneIsFound() {
        assertThat(isNamedWithAnEmptyWord(new ClassFileImporter().importClass(RowHelper.class)))
                .isTrue();
    }

    private record RowHelper() {}

    @Test
    void everyPackageIsNullMarked() {
        assertThat(unmarked(ProductClasses.ALL))
                .as("packages without @NullMarked in a package-info")
                .isEmpty();
    }

    @Test
    void aPackageThatIsNotIsFound() {
        assertThat(unmarked(new ClassFileImporter().importClasses(String.class)))
                .containsExactly("java.lang");
    }

    private static Set<String> unmarked(JavaClasses types) {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass type : types) {
            if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                unmarked.add(type.getPackageName());
            }
        }
        return unmarked;
    }

    private static boolean isNamedWithAnEmptyWord(JavaClass type) {
        return Arrays.stream(BETWEEN_WORDS.split(type.getSimpleName()))
                .anyMatch(EMPTY_WORDS::contains);
    }
}
