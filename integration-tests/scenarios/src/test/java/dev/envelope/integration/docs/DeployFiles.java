package dev.envelope.integration.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What stands in {@code config/deploy}. Threads: stateless. */
public final class DeployFiles {

    static final Path FOLDER = Checkout.ROOT.resolve("config/deploy");

    private static final Pattern METRIC =
            Pattern.compile("\\b((?:envelope|actor|hikaricp|jvm|kafka_consumer)_[a-z0-9_]+)\\b");

    private DeployFiles() {}

    /** The metrics that the dashboard and the alerts name. */
    public static Set<String> metrics() {
        Set<String> names = new TreeSet<>();
        for (String file : List.of("prometheus/alerts.yaml", "grafana/envelope.json")) {
            Matcher metric = METRIC.matcher(read(FOLDER.resolve(file)));
            while (metric.find()) {
                names.add(metric.group(1));
            }
        }
        return names;
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Path> withEnding(String ending) {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(it -> it.toString().endsWith(ending)).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
