package dev.envelope.integration.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DocumentsTest {

    private static final List<MarkdownPage> PAGES =
            Checkout.files(".md").stream().map(MarkdownPage::of).toList();

    /** Those that name classes and tests as proof. */
    private static final List<MarkdownPage> PROOFS =
            PAGES.stream()
                    .filter(page -> !Checkout.name(page.file()).equals("docs/configuration.md"))
                    .toList();

    private static final Pattern QUALIFIED = Pattern.compile("dev\\.envelope(\\.\\w+)+");
    private static final Pattern MEMBER =
            Pattern.compile("([A-Z]\\w*)\\.(?!md\\b|java\\b)(\\w+)(\\(\\))?");

    private final JavaSources sources = new JavaSources();

    @Test
    void everyLinkLeadsSomewhere() {
        assertThat(PAGES).hasSizeGreaterThan(5);
        assertThat(PAGES).flatExtracting(MarkdownPage::deadLinks).isEmpty();
    }

    @Test
    void everyRowOfATableHasAsManyCellsAsItsFirst() {
        assertThat(PAGES).flatExtracting(MarkdownPage::oddRows).isEmpty();
    }

    @Test
    void everyClassAndTestThatIsNamedExists() {
        Set<String> missing = new TreeSet<>();
        int found = 0;
        for (MarkdownPage page : PROOFS) {
            for (String code : page.code()) {
                Optional<Boolean> exists = exists(code);
                if (exists.isPresent() && !exists.get()) {
                    missing.add(Checkout.name(page.file()) + ": " + code);
                } else if (exists.isPresent()) {
                    found++;
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).as("names that were looked for").isGreaterThan(100);
    }

    /** Whether a name of ours exists; empty for what is none. */
    private Optional<Boolean> exists(String code) {
        if (QUALIFIED.matcher(code).matches()) {
            return Optional.of(sources.hasQualified(code));
        }
        Matcher member = MEMBER.matcher(code);
        if (member.matches()) {
            return Optional.of(sources.hasMember(member.group(1), member.group(2)));
        }
        return Optional.empty();
    }

    @Test
    void theExamplesAreThoseThatWereCompiled() {
        List<MarkdownPage.Copy> copies =
                PAGES.stream().flatMap(page -> page.copies().stream()).toList();

        assertThat(copies)
                .extracting(MarkdownPage.Copy::region)
                .contains("handler", "library", "test");
        assertThat(copies)
                .allSatisfy(
                        copy ->
                                assertThat(Optional.of(copy.code()))
                                        .isEqualTo(
                                                JavaSources.region(
                                                        Checkout.ROOT.resolve(copy.source()),
                                                        copy.region())));
    }
}
