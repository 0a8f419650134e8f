package dev.envelope.app.config.docs;

import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.Group;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.problem.Visible;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Writes the sample file: required settings with an example, all others commented out. */
public final class SampleFile {

    private final StringBuilder out = new StringBuilder();

    /** The text of the file. */
    public String render() {
        comment(
                "Settings of an Envelope consumer: a row per account with the sum of its payments.");
        line("#");
        comment(
                "Written from the registry of settings; docs/configuration.md says the same as a"
                        + " page. A line that begins with # and no blank is a setting that you may"
                        + " switch on; it shows the default where there is one.");
        heading("Required");
        Registry.keys().stream().filter(Key::required).forEach(this::required);
        for (Group group : Group.values()) {
            heading(group.title());
            Registry.keys(group).stream()
                    .filter(Predicate.not(Key::required))
                    .forEach(this::optional);
            Family.ALL.stream()
                    .filter(family -> family.group() == group && !family.equals(Family.FOLD))
                    .forEach(this::family);
        }
        kafka();
        return out.toString();
    }

    private void required(Key<?> key) {
        paragraph(key.meaning());
        line(key.name() + "=" + key.example());
        if (key == HandlerKeys.HANDLER) {
            paragraph(Family.FOLD.meaning());
            line(Family.FOLD.example());
            line(Family.FOLD.prefix() + "largest=max(/amount)");
        }
    }

    private void optional(Key<?> key) {
        paragraph(key.meaning());
        comment(
                sentences(
                        List.of(
                                capital(key.type().name()) + ": " + key.type().allowed(),
                                key.defaultInWords()
                                        .map(text -> "Default: " + text)
                                        .orElse("Not set by default"),
                                key.raiseIf().map(when -> "Raise if " + when).orElse(""),
                                key.lowerIf().map(when -> "Lower if " + when).orElse(""))));
        line("#" + key.name() + "=" + shownValue(key));
    }

    private void family(Family family) {
        paragraph(family.meaning());
        line("#" + family.example());
    }

    private void kafka() {
        heading("Kafka's own settings");
        paragraph(
                "After kafka. stands a name of the Kafka clients, for all clients that know it;"
                        + " kafka.consumer., kafka.producer. and kafka.admin. go to one of them and"
                        + " win. What the engine decides itself is refused, with the reason.");
        line("#kafka.security.protocol=SASL_SSL");
        line("#kafka.sasl.mechanism=SCRAM-SHA-512");
        line(
                "#kafka.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule"
                        + " required username=\"envelope\" password=\"${env:KAFKA_PASSWORD}\";");
        line("#kafka.consumer.group.protocol=consumer");
        line("#kafka.consumer.client.rack=eu-central-1a");
    }

    private static String shownValue(Key<?> key) {
        return key.defaultText(ReferencePage.NOWHERE)
                .filter(text -> key.defaultInWords().filter(text::equals).isPresent())
                .orElseGet(key::example);
    }

    private void heading(String title) {
        out.append("\n# ---- ").append(title).append(' ');
        out.append("-".repeat(Visible.WIDTH - 8 - title.length())).append('\n');
    }

    private void paragraph(String text) {
        out.append('\n');
        comment(text);
    }

    private void line(String text) {
        out.append(text).append('\n');
    }

    private void comment(String text) {
        out.append(Visible.wrapped(text, "# ", "# "));
    }

    private static String sentences(List<String> parts) {
        return parts.stream()
                .filter(Predicate.not(String::isEmpty))
                .collect(Collectors.joining(". ", "", "."));
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
