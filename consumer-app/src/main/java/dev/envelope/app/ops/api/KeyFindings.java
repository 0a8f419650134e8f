package dev.envelope.app.ops.api;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.Said;
import dev.envelope.core.api.Words;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import dev.envelope.core.status.PartitionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * What is known here of a key and its partition, if a message of it is not handled yet: all of it
 * for operators, and for callers of the gateway nothing that names other keys, servers or errors.
 */
final class KeyFindings {

    private KeyFindings() {}

    /**
     * In sentences for a caller; at least one.
     *
     * @param running none before there is an engine
     */
    static List<String> forCaller(
            String key, TopicPartition partition, ProcessStatus status, Optional<Engine> running) {
        List<String> findings = new ArrayList<>();
        running.flatMap(engine -> engine.standing(key).map(it -> sentence(key, it, engine, "")))
                .ifPresent(findings::add);
        Optional<PartitionStatus> its =
                status.partitions().stream()
                        .filter(it -> it.partition().equals(partition))
                        .findFirst();
        if (its.isEmpty()) {
            findings.add(partition + " is read by another process, or by none");
            return findings;
        }
        if (findings.isEmpty()
                && running.map(Engine::holdups).orElse(List.of()).stream()
                        .anyMatch(it -> it.partition().partition().equals(partition))) {
            findings.add("other messages of " + partition + " are not handled yet");
        }
        if (!its.get().pausedBecause().isEmpty()) {
            findings.add(partition + " is not fetched at present");
        }
        if (!status.notReadyBecause().isEmpty()) {
            findings.add("the process that reads " + partition + " is not ready");
        }
        if (findings.isEmpty()) {
            findings.add(onTheWay(its.get()));
        }
        return findings;
    }

    /**
     * In sentences; at least one.
     *
     * @param running none before there is an engine
     */
    static List<String> of(
            String key, TopicPartition partition, ProcessStatus status, Optional<Engine> running) {
        List<String> findings = new ArrayList<>();
        running.flatMap(
                        engine ->
                                engine.standing(key)
                                        .map(it -> sentence(key, it, engine, it.trouble())))
                .ifPresent(findings::add);
        Optional<PartitionStatus> its =
                status.partitions().stream()
                        .filter(it -> it.partition().equals(partition))
                        .findFirst();
        if (its.isEmpty()) {
            findings.add(
                    partition
                            + " is read by another process, or by none: /api/stuck of its reader"
                            + " tells more");
            return findings;
        }
        List<Holdup> holdups = running.map(Engine::holdups).orElse(List.of());
        holdups.stream()
                .filter(it -> it.partition().partition().equals(partition))
                .map(StuckDocument::sentence)
                .forEach(findings::add);
        String reason = its.get().pausedBecause();
        if (!reason.isEmpty()) {
            findings.add("%s is not fetched: %s".formatted(partition, reason));
        }
        findings.addAll(status.notReadyBecause());
        if (findings.isEmpty()) {
            findings.add(onTheWay(its.get()));
        }
        return findings;
    }

    private static String sentence(
            String key, Standing standing, Engine engine, String lastTrouble) {
        String trouble = lastTrouble.isEmpty() ? "" : ", last with " + lastTrouble;
        return "key %s: %s, for %s%s; %s of it wait"
                .formatted(
                        Words.quote(key),
                        standing.doing().words(),
                        Said.of(engine.since(standing)),
                        trouble,
                        Words.count(standing.messages(), "message"));
    }

    private static String onTheWay(PartitionStatus partition) {
        return "nothing is stuck: %s, %s fetched and not saved, %s in the log"
                .formatted(
                        partition.partition(),
                        Words.count(partition.unacked(), "record"),
                        partition.lag() < 0
                                ? "an unknown number"
                                : "%,d".formatted(partition.lag()));
    }
}
