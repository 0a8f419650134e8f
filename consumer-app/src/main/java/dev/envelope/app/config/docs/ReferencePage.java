package dev.envelope.app.config.docs;

import dev.envelope.app.config.kafka.OwnedSetting;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.Group;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the reference in Markdown: a page of prose with the tables of the settings. */
public final class ReferencePage {

    /** A fixed machine, so that the page is the same everywhere. */
    static final Surroundings NOWHERE = new Surroundings(Map.of(), 1, Long.MAX_VALUE, Path.of(""));

    private ReferencePage() {}

    /** The page, as Markdown. */
    public static String render() {
        return prose().replace("{{required}}", names(Key::required))
                .replace("{{matters}}", names(Key::matters))
                .replace("{{groups}}", joined(Stream.of(Group.values()).map(ReferencePage::group)))
                .replace("{{owned}}", joined(OwnedSetting.ALL.stream().map(ReferencePage::row)));
    }

    private static String prose() {
        try (InputStream in = ReferencePage.class.getResourceAsStream("reference.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String names(Predicate<Key<?>> which) {
        return Registry.keys().stream()
                .filter(which)
                .map(key -> code(key.name()))
                .collect(Collectors.joining(", "));
    }

    private static String group(Group group) {
        Stream<String> keys = Registry.keys(group).stream().map(ReferencePage::row);
        Stream<String> families =
                Family.ALL.stream()
                        .filter(family -> family.group() == group)
                        .map(ReferencePage::row);
        return """

                ## %s

                | Setting | Type, and what is allowed | Default | Meaning |
                |---|---|---|---|
                %s"""
                .formatted(group.title(), joined(Stream.concat(keys, families)));
    }

    private static String joined(Stream<String> parts) {
        return parts.collect(Collectors.joining());
    }

    private static String row(Key<?> key) {
        return row(
                code(key.name()),
                cell(key.type().name() + ": " + key.type().allowed()),
                defaultOf(key),
                cell(explanation(key)));
    }

    private static String row(Family family) {
        return row(
                code(family.prefix() + "<" + family.rest() + ">"),
                "text",
                "",
                cell(family.meaning()) + " Example: " + code(family.example()));
    }

    private static String row(OwnedSetting owned) {
        return row(
                owned.client() == null ? "all" : owned.client().name().toLowerCase(Locale.ROOT),
                code(owned.name()),
                cell(owned.reason()),
                owned.only() == null ? "" : code(owned.only()));
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static String defaultOf(Key<?> key) {
        if (key.required()) {
            return "**required**";
        }
        Optional<String> text = key.defaultText(NOWHERE);
        return key.defaultInWords()
                .map(words -> text.filter(words::equals).map(ReferencePage::code).orElse(words))
                .orElse("");
    }

    private static String explanation(Key<?> key) {
        return Stream.of(
                        Optional.of(key.meaning()),
                        key.raiseIf().map(when -> "Raise if " + when + "."),
                        key.lowerIf().map(when -> "Lower if " + when + "."),
                        Optional.of("Example: " + code(key.example()) + ".")
                                .filter(example -> key.defaultText(NOWHERE).isEmpty()),
                        Optional.of("Taken over while running.").filter(reload -> key.reloadable()))
                .flatMap(Optional::stream)
                .collect(Collectors.joining(" "));
    }

    private static String code(String text) {
        return "`" + text.replace("|", "\\|") + "`";
    }

    /** Text for a cell of a table; what looks like a tag is set as code. */
    private static String cell(String text) {
        return text.replace("|", "\\|").replaceAll("(\\S*<[a-z]+>\\S*?)(?=[,.;]?(\\s|$))", "`$1`");
    }
}
