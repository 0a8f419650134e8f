package dev.envelope.integration.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One document: its links, its headings, the names in it, the code that it copies.
 *
 * <p>Threads: immutable.
 */
record MarkdownPage(Path file, String text) {

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");
    private static final Pattern COPY =
            Pattern.compile(
                    "<!-- copied from (\\S+), region (\\w+) -->\n```java\n(.*?)\n```",
                    Pattern.DOTALL);

    private static final Pattern BLOCK =
            Pattern.compile(
                    "(?:^`([\\w./-]+)`:\n\n)?^```(\\w*)\n(.*?\n)```$",
                    Pattern.MULTILINE | Pattern.DOTALL);

    /**
     * What stands between fences.
     *
     * @param file as which it is to be saved; empty if it is no file
     */
    record Block(String file, String language, String text) {}

    /** Code that claims to be a region of a file. */
    record Copy(String source, String region, String code) {}

    static MarkdownPage of(Path file) {
        return new MarkdownPage(file, Checkout.read(file));
    }

    /** Links that lead nowhere. */
    List<String> deadLinks() {
        return withoutFences()
                .transform(LINK::matcher)
                .results()
                .map(link -> link.group(1))
                .filter(link -> !link.matches("[a-z][a-z0-9+.-]*:.*"))
                .filter(link -> !leadsSomewhere(link))
                .map(link -> Checkout.name(file) + " -> " + link)
                .toList();
    }

    /** Rows of tables that have more or fewer cells than the first row of their table. */
    List<String> oddRows() {
        List<String> odd = new ArrayList<>();
        long expected = 0;
        for (String line : withoutFences().lines().toList()) {
            long cells = line.startsWith("|") ? CELL_END.matcher(line).results().count() : 0;
            if (expected > 0 && cells > 0 && cells != expected) {
                odd.add(Checkout.name(file) + ": " + line);
            }
            expected = cells == 0 || expected == 0 ? cells : expected;
        }
        return odd;
    }

    private boolean leadsSomewhere(String link) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path folder = Optional.ofNullable(file.getParent()).orElse(Checkout.ROOT);
        Path target = path.isEmpty() ? file : folder.resolve(path).normalize();
        if (!Files.exists(target) || !target.startsWith(Checkout.ROOT)) {
            return false;
        }
        return hash < 0 || MarkdownPage.of(target).anchors().contains(link.substring(hash + 1));
    }

    /** As the usual hosts make them of headings. */
    private List<String> anchors() {
        return withoutFences()
                .transform(HEADING::matcher)
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .toList();
    }

    /** What stands in backticks in the running text and in tables. */
    List<String> code() {
        return withoutFences()
                .transform(CODE::matcher)
                .results()
                .map(code -> code.group(1))
                .toList();
    }

    private String withoutFences() {
        return FENCE.matcher(text).replaceAll("");
    }

    List<Copy> copies() {
        List<Copy> copies = new ArrayList<>();
        for (MatchResult copy : COPY.matcher(text).results().toList()) {
            copies.add(new Copy(copy.group(1), copy.group(2), copy.group(3)));
        }
        return copies;
    }

    List<Block> blocks() {
        return BLOCK.matcher(text)
                .results()
                .map(
                        it ->
                                new Block(
                                        Optional.ofNullable(it.group(1)).orElse(""),
                                        it.group(2),
                                        it.group(3)))
                .toList();
    }
}
