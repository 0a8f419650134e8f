package dev.envelope.app.config.docs;

import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.kafka.OwnedSetting;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.Group;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the reference in Markdown.
 *
 * <p>Threads: one thread.
 */
public final class ReferencePage {

    /** A machine of which the page must not depend. */
    static final Surroundings NOWHERE = new Surroundings(Map.of(), 1, Long.MAX_VALUE, Path.of(""));

    private final StringBuilder out = new StringBuilder();

    /** The page. */
    public String render() {
        introduction();
        keysThatMatter();
        for (Group group : Group.values()) {
            group(group);
        }
        kafka();
        otherNames();
        return out.toString();
    }

    private void introduction() {
        out.append(
                """
                # Configuration

                <!-- Written from the registry of settings. After a change there, run the tests of
                consumer-app with -Ddocs.update=true. -->

                A consumer is configured by one properties file (UTF-8). Each setting is also read from
                the environment, as `ENVELOPE_` and its name in upper case with underscores
                (`ENVELOPE_POOL_SIZE`), and from the command line (`--set pool.size=4`). The later of
                these wins: default, file, environment, command line.

                Everything is checked before anything is opened. A file with problems is refused with
                all of them at once, each with its line, and the process ends with exit code 78.

                **Values.** A duration is a whole number with `ms`, `s`, `m`, `h` or `d`. A size is a
                number of bytes, or a number with `KiB`, `MiB` or `GiB`. Elements of a list are
                separated by commas. A blank at the end of a value is a problem, and so is a setting
                that is written twice.

                **Secrets** are referred to and not written out: `${env:NAME}` is a variable of the
                environment, `${file:path:key}` a key of a properties file, `${dir:path:name}` a file
                of a directory (its last line end is left out). References work in every value;
                relative paths start at the file in which they stand. A secret that is written out
                gives a warning, and is refused with `config.strict.secrets=true`. A literal `${` is
                written `$${`.

                **Several files.** `config.include=shared.properties` takes in the settings of another
                file; what a file says itself wins over what it includes.

                A file with every setting: [config/consumer.properties](../config/consumer.properties).
                """);
    }

    private void keysThatMatter() {
        out.append("\n## The settings that matter\n\nRequired: ");
        out.append(names(Key::required));
        out.append(".\n\nThe ones that most people come to set next: ");
        out.append(names(Key::matters)).append(".\n");
    }

    private static String names(Predicate<Key<?>> which) {
        return Registry.keys().stream()
                .filter(which)
                .map(key -> code(key.name()))
                .collect(Collectors.joining(", "));
    }

    private void group(Group group) {
        out.append("\n## ").append(group.title()).append("\n\n");
        out.append("| Setting | Type, and what is allowed | Default | Meaning |\n");
        out.append("|---|---|---|---|\n");
        Registry.keys(group).forEach(this::row);
        Family.ALL.stream().filter(family -> family.group() == group).forEach(this::row);
    }

    private void row(Key<?> key) {
        row(
                code(key.name()),
                cell(key.type().name() + ": " + key.type().allowed()),
                defaultOf(key),
                cell(explanation(key)));
    }

    private void row(Family family) {
        row(
                code(family.prefix() + "<" + family.rest() + ">"),
                "text",
                "",
                cell(family.meaning()) + " Example: " + code(family.example()));
    }

    private void row(String... cells) {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
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

    private void kafka() {
        out.append(
                """

                ## Kafka's own settings

                What stands after `kafka.` goes to all Kafka clients that know the name; what stands
                after `kafka.consumer.`, `kafka.producer.` or `kafka.admin.` goes to that client, and
                wins. Names, types and ranges are checked against the clients' own lists. With
                `kafka.consumer.group.protocol=consumer` the brokers decide `session.timeout.ms` and
                `heartbeat.interval.ms`, so that they are refused here.

                Where nothing else is written, the consumer differs from Kafka's own defaults in
                `isolation.level=read_committed`, `max.poll.records=5000`,
                `max.poll.interval.ms=60000` (polling waits for no handler, and it is also how long a
                group waits for a member in a rebalance), `fetch.max.bytes` (half of
                the prefetch, 1 to 32 MiB), and with the classic protocol in
                `partition.assignment.strategy` (`CooperativeStickyAssignor`) and
                `heartbeat.interval.ms=500` (at most a third of the session timeout: a member learns
                by its next heartbeat that another is gone). All clients have
                `enable.metrics.push=false`; the producer of dead letters `linger.ms=0`,
                `max.block.ms=5000`, `request.timeout.ms=5000`, `delivery.timeout.ms=15000`,
                `max.request.size` and `buffer.memory` of 128 MiB; the admin client
                `request.timeout.ms=5000` and `default.api.timeout.ms=10000` (of dead letters:
                5000).

                These are refused, because the engine decides them (the value named last may be
                written):

                | Client | Setting | It ... | Accepted |
                |---|---|---|---|
                """);
        OwnedSetting.ALL.forEach(
                owned ->
                        row(
                                client(owned.client()),
                                code(owned.name()),
                                cell(owned.reason()),
                                owned.only() == null ? "" : code(owned.only())));
    }

    private void otherNames() {
        out.append(
                """

                ## If you know it by another name

                What to turn when something is slow or stuck stands in
                [operations.md](operations.md#by-symptom).

                | Elsewhere | Here | What is not the same |
                |---|---|---|
                | Kafka `group.id`, Streams `application.id` | `application.id` | Also the \
                name of the schema, unless `store.schema` gives another. |
                | Kafka `auto.offset.reset`, Spring `seekToBeginning` | `start.from` | Only \
                where neither the database nor the group knows a position. |
                | Streams `consumer.` and `main.consumer.`, Spring \
                `spring.kafka.properties.*`, Connect `consumer.override.*` |  | \
                `kafka.consumer.*`, `kafka.producer.*`, `kafka.admin.*`, and `kafka.*` for all \
                of them. |
                | Streams `num.stream.threads`, Spring `concurrency`, Parallel Consumer \
                `maxConcurrency`, Decaton `decaton.partition.concurrency`, Connect `tasks.max` \
                | `pool.size`, `pool.size.max` | Workers of a process, whatever the number of \
                partitions. |
                | Spring batch listeners' `max.poll.records`, Parallel Consumer `batchSize`, \
                Connect `batch.size` | `envelope.max.messages`, `turn.max.messages` | A most, \
                never a least: nothing waits for a batch to fill. |
                | Streams `statestore.cache.max.bytes` | `cache.max.bytes` | A cache of rows; \
                what is not in it is loaded. |
                | Streams `buffered.records.per.partition`, Decaton \
                `decaton.max.pending.records` | `prefetch.max.bytes` | In bytes, over all \
                partitions. |
                | Spring `DefaultErrorHandler` with a back-off, Connect \
                `errors.retry.timeout`, Parallel Consumer `retryDelayProvider` | \
                `retry.max.attempts`, `retry.backoff.initial`, `retry.backoff.max` | The key \
                waits, and others flow. |
                | Spring `DeadLetterPublishingRecoverer`, Connect \
                `errors.deadletterqueue.topic.name`, Streams \
                `errors.dead.letter.queue.topic.name` | `on.failure`, `dead.letter.topic`, \
                `dead.letter.headers` | By default a message is parked in the database \
                instead, with what comes after it of its key. |
                | Streams `commit.interval.ms`, Spring `AckMode.TIME`, Connect \
                `offset.flush.interval.ms` | `commit.interval` | Of Kafka's offsets; rows are \
                durable before. |
                | Spring `shutdownTimeout`, Streams `close(timeout)` | \
                `shutdown.drain.timeout` | What is not saved by then is read again. |
                """);
    }

    private static String client(@Nullable Client client) {
        return client == null ? "all" : client.name().toLowerCase(Locale.ROOT);
    }

    private static String code(String text) {
        return "`" + text.replace("|", "\\|") + "`";
    }

    /** Text for a cell of a table; what looks like a tag is set as code. */
    private static String cell(String text) {
        return text.replace("|", "\\|").replaceAll("(\\S*<[a-z]+>\\S*?)(?=[,.;]?(\\s|$))", "`$1`");
    }
}
