package dev.envelope.integration.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Every type, method and package that stands in the sources of the checkout, product and tests.
 *
 * <p>Threads: immutable.
 */
final class JavaSources {

    private static final Pattern TYPE = Pattern.compile("[A-Z]\\w*");

    private final Map<String, List<Path>> byName =
            Checkout.files(".java").stream()
                    .collect(
                            Collectors.groupingBy(
                                    file ->
                                            String.valueOf(file.getFileName())
                                                    .replaceFirst("\\.java$", "")));

    /** A package or class with its package. */
    boolean hasQualified(String name) {
        String path = name.replace('.', '/');
        return byName.values().stream()
                .flatMap(List::stream)
                .map(Checkout::name)
                .anyMatch(
                        file ->
                                file.endsWith("java/" + path + ".java")
                                        || file.contains("java/" + path + "/"));
    }

    /** A type of that simple name, and in it a nested type, method, field or constant. */
    boolean hasMember(String type, String member) {
        return byName.getOrDefault(type, List.of()).stream()
                .map(Checkout::read)
                .anyMatch(source -> declares(source, member));
    }

    private static boolean declares(String source, String member) {
        String name = Pattern.quote(member);
        String declaration =
                TYPE.matcher(member).matches() ? "\\b" + name + "\\b" : "[\\w>\\]] " + name + "\\(";
        return Pattern.compile(declaration).matcher(source).find();
    }

    /** The lines between {@code // region} of that name and the next end, without their indent. */
    static Optional<String> region(Path source, String region) {
        if (!Files.exists(source)) {
            return Optional.empty();
        }
        String marked = "(?ms)^ *// region " + Pattern.quote(region) + "\n(.*?)^ *// end region$";
        return Pattern.compile(marked)
                .matcher(Checkout.read(source))
                .results()
                .map(found -> found.group(1).stripTrailing().stripIndent())
                .findFirst();
    }
}
