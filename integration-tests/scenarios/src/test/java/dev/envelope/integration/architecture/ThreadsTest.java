package dev.envelope.integration.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.envelope.integration.docs.Checkout;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Who owns what changes is said where something does: a class that nothing changes in has no line
 * that begins with {@code Threads:}. An interface may have one, for those who implement it.
 */
class ThreadsTest {

    /** A comment with such a line, and the type behind it. */
    private static final Pattern SAYING =
            Pattern.compile(
                    "/\\*\\*(?:(?!\\*/).)*?Threads:(?:(?!\\*/).)*?\\*/[^;{]*?"
                            + "\\b(class|record|enum|interface)\\s+(\\w+)",
                    Pattern.DOTALL);

    private static final Set<String> IMMUTABLE_PACKAGES =
            Set.of(
                    "java.lang",
                    "java.time",
                    "java.time.format",
                    "java.math",
                    "java.net",
                    "java.nio.file",
                    "java.util.regex",
                    "java.util.function",
                    "org.slf4j");

    @Test
    void onlyWhereSomethingChangesItIsSaidWhoseItIs() {
        Set<String> needless = new TreeSet<>();
        for (Path file : SizesTest.FILES) {
            String name = Checkout.name(file);
            String outermost = name.substring(name.indexOf("/java/") + 6, name.length() - 5);
            needless.addAll(
                    needless(outermost.replace('/', '.'), Checkout.read(file), ProductClasses.ALL));
        }
        assertThat(needless).isEmpty();
    }

    @Test
    void whereNothingChangesALineIsFound() {
        JavaClasses types = new ClassFileImporter().importClasses(Still.class, Counting.class);
        String still = "/** One.\n *\n * <p>Threads: any. */ private record Still(";
        String counting = "/** One. Threads: one. */ private static final class Counting {";

        assertThat(needless(ThreadsTest.class.getName(), still, types))
                .containsExactly(Still.class.getName());
        assertThat(needless(ThreadsTest.class.getName(), counting, types)).isEmpty();
        assertThat(new Counting().next()).as("it does change").isZero();
    }

    private record Still(String name) {}

    private static final class Counting {
        private int count;

        int next() {
            return count++;
        }
    }

    private static Set<String> needless(String outermost, String source, JavaClasses types) {
        Set<String> needless = new TreeSet<>();
        Matcher saying = SAYING.matcher(source);
        while (saying.find()) {
            String simple = saying.group(2);
            for (JavaClass type : types) {
                boolean isIt =
                        type.getSimpleName().equals(simple)
                                && (type.getName() + "$").startsWith(outermost + "$");
                if (isIt && !type.isInterface() && !changes(type)) {
                    needless.add(type.getName());
                }
            }
        }
        return needless;
    }

    /** Whether something in it may change, or in what it is made of. */
    private static boolean changes(JavaClass type) {
        Set<JavaClass> seen = new HashSet<>();
        Deque<JavaClass> open = new ArrayDeque<>(Set.of(type));
        while (!open.isEmpty()) {
            JavaClass part = open.pop();
            if (seen.add(part)) {
                for (JavaField field : part.getFields()) {
                    if (field.getModifiers().contains(JavaModifier.STATIC) || part.isRecord()) {
                        continue;
                    } else if (Shapes.isMutable(field) || mayChange(field.getRawType())) {
                        return true;
                    }
                    if (isOurs(field.getRawType())) {
                        open.add(field.getRawType());
                    }
                }
            }
        }
        return false;
    }

    /** What is not ours changes, unless it is known that it does not; what is ours is looked at. */
    private static boolean mayChange(JavaClass type) {
        if (type.isArray()
                || type.getPackageName().startsWith("java.util.concurrent")
                || type.isAssignableTo(Collection.class)
                || type.isAssignableTo(Map.class)) {
            return true;
        }
        return !type.isPrimitive()
                && !type.isInterface()
                && !type.isEnum()
                && !isOurs(type)
                && !IMMUTABLE_PACKAGES.contains(type.getPackageName());
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith("dev.envelope");
    }
}
