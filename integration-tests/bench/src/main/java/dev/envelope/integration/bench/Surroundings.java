package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.Workload;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * What the numbers hold for: machine, versions, settings of the servers.
 *
 * <p>Threads: immutable.
 */
final class Surroundings {

    private Surroundings() {}

    /**
     * A line each.
     *
     * @param server what {@link DatabaseMeter#durability} has found
     */
    static List<String> lines(BenchOptions options, List<String> server) {
        return List.of(
                "measured on %s at commit %s with `scripts/bench`, %d rounds, the runs of a round one after the other"
                        .formatted(
                                LocalDate.now(ZoneOffset.UTC),
                                System.getProperty("bench.commit", "unknown"),
                                options.rounds()),
                "%d cores for client, broker and Postgres together; %s %s"
                        .formatted(
                                Runtime.getRuntime().availableProcessors(),
                                System.getProperty("os.name"),
                                System.getProperty("os.version")),
                "Java %s, contestants with `%s`"
                        .formatted(
                                System.getProperty("java.vm.version"),
                                String.join(
                                        " ", BenchOptions.jvm(BenchOptions.HEAP).subList(0, 4))),
                "Kafka %s, %d partitions, records of about 150 bytes of JSON"
                        .formatted(AppInfoParser.getVersion(), Workload.PARTITIONS),
                "%s; fsync %s, synchronous_commit %s, full_page_writes %s"
                        .formatted(
                                server.get(0).replaceFirst(" on .*", ""),
                                server.get(1),
                                server.get(2),
                                server.get(3)));
    }
}
