package dev.envelope.core.offset;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What operators hold back, wherever it is read.
 *
 * @param all none of them over
 */
public record Pauses(List<Pause> all) {

    private static final Pattern PARTITION = Pattern.compile("(.+)-(\\d{1,9})");

    /** Nothing is held back. */
    public static final Pauses NONE = new Pauses(List.of());

    /** What is held back. */
    public enum Kind {
        PARTITION,
        KEY
    }

    /**
     * One of them.
     *
     * @param name topic and number with a dash between them, or a row's key
     * @param by who has asked for it
     * @param until when it ends by itself; null if somebody has to end it
     */
    public record Pause(
            Kind kind, String name, String by, Instant since, @Nullable Instant until) {}

    public Pauses {
        all = List.copyOf(all);
    }

    /** These, and others. */
    public Pauses and(Pauses others) {
        return new Pauses(Stream.concat(all.stream(), others.all.stream()).distinct().toList());
    }

    public Set<String> keys() {
        return of(Kind.KEY).map(Pause::name).collect(Collectors.toUnmodifiableSet());
    }

    public Set<TopicPartition> partitions() {
        return of(Kind.PARTITION)
                .flatMap(pause -> partition(pause.name()).stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private Stream<Pause> of(Kind kind) {
        return all.stream().filter(pause -> pause.kind() == kind);
    }

    /** The partition that is called so; empty if that is not a topic and a number. */
    public static Optional<TopicPartition> partition(String name) {
        Matcher parts = PARTITION.matcher(name);
        return parts.matches()
                ? Optional.of(new TopicPartition(parts.group(1), Integer.parseInt(parts.group(2))))
                : Optional.empty();
    }
}
