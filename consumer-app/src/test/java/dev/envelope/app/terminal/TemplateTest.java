package dev.envelope.app.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class TemplateTest {

    private static String fill(String template) {
        String document =
                """
                {"text":"a\\n{b}","count":1234,"one":1,"share":2.345,"none":null,"in":{"side":[7]}}""";
        return Template.fill(template, JsonMapper.shared().readTree(document));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "{count} of it ~ 1234 of it",
                "{count|%,d} {count|%6d} {share|%.1f} ~ 1,234   1234 2.3",
                "{count|message}, {one|message} ~ 1,234 messages, 1 message",
                "{count|seconds}, {count|KiB} ~ 1.2 s, 1",
                "{text|quoted} {text|line} ~ \"a\\u000a{b}\" a\\u000a{b}",
                "{in|json} {in/side/0} ~ {\"side\":[7]} 7",
                "{none?nobody} {absent?nobody} {one?nobody} ~ nobody nobody 1",
                "<{none}{absent}> {absent|%d} {absent|row} ~ <> 0 0 rows",
            })
    void aPlaceIsFilledAsItSays(String template, String filled) {
        assertThat(fill(template)).isEqualTo(filled);
    }

    @Test
    void whatADocumentSaysIsNotTakenForAPlace() {
        assertThat(fill("{text}$1")).isEqualTo("a\n{b}$1");
    }

    @Test
    void aDocumentThatIsATextFillsAPlaceWithoutAName() {
        assertThat(Template.fill("<{}>", JsonMapper.shared().readTree("\"a\""))).isEqualTo("<a>");
    }
}
