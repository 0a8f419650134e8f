package dev.envelope.integration.bench.peers.race;

import com.sun.management.OperatingSystemMXBean;

import dev.envelope.integration.bench.client.Blocking;
import dev.envelope.integration.bench.client.Latencies;
import dev.envelope.integration.bench.client.Micros;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.LongAdder;

/**
 * The call that every contestant makes for each record, and what is measured of it: the second half
 * of the time, when all is warm.
 *
 * <p>Threads: thread-safe (adder and histogram are; one thread samples; a record has a byte of its
 * own).
 */
final class Finish {

    private static final long SAMPLE_MILLIS = 50;
    private static final long MOST_MICROS = 600_000_000L;

    private record Sample(long nanos, long cpuNanos, long done) {}

    private final Race race;
    private final LongAdder done = new LongAdder();
    private final Histogram latencies = new ConcurrentHistogram(MOST_MICROS, 3);
    private final List<Sample> samples = new ArrayList<>();
    private final List<MappedByteBuffer> counts;

    Finish(Race race, int partitions) throws IOException {
        this.race = race;
        this.counts = race.done().isEmpty() ? List.of() : map(race, partitions);
    }

    private static List<MappedByteBuffer> map(Race race, int partitions) throws IOException {
        List<MappedByteBuffer> maps = new ArrayList<>();
        try (FileChannel file =
                FileChannel.open(
                        Path.of(race.done()),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            for (int i = 0; i < partitions; i++) {
                long size = race.records();
                maps.add(file.map(FileChannel.MapMode.READ_WRITE, i * size, size));
            }
        }
        return maps;
    }

    /** The call. */
    void call(int partition, long offset, Headers headers) {
        Header sent = headers.lastHeader(Latencies.SENT);
        if (sent != null) {
            long late = Micros.now() - ByteBuffer.wrap(sent.value()).getLong();
            latencies.recordValue(Math.min(MOST_MICROS, Math.max(0, late)));
        }
        Blocking.forMillis(race.blockMillis());
        if (!counts.isEmpty()) { // what the system has of it outlives a kill -9
            MappedByteBuffer its = counts.get(partition);
            its.put((int) offset, (byte) (its.get((int) offset) + 1));
        }
        done.increment();
    }

    /** Returns when the race is over. */
    void await() throws InterruptedException {
        while (done.sum() == 0) {
            Thread.sleep(1); // nobody tells of the first
        }
        long begun = System.nanoTime();
        while (done.sum() < race.records() && System.nanoTime() - begun < race.seconds() * 1e9) {
            sample();
            Thread.sleep(SAMPLE_MILLIS); // the rhythm of samples
        }
        sample();
    }

    private void sample() {
        long cpu =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getProcessCpuTime();
        samples.add(new Sample(System.nanoTime(), cpu, done.sum()));
    }

    Properties result() {
        Sample last = samples.get(samples.size() - 1);
        long middle = (samples.get(0).nanos() + last.nanos()) / 2;
        Sample half =
                samples.stream().filter(it -> it.nanos() >= middle).findFirst().orElseThrow();
        long records = last.done() - half.done();
        Properties result = new Properties();
        result.setProperty(
                "perSecond", Double.toString(records / ((last.nanos() - half.nanos()) / 1e9)));
        result.setProperty(
                "cpuMicros",
                Double.toString(
                        (last.cpuNanos() - half.cpuNanos()) / 1e3 / Math.max(1, records)));
        result.setProperty("done", Long.toString(last.done()));
        result.setProperty("p50", Double.toString(latencies.getValueAtPercentile(50) / 1e3));
        result.setProperty("p99", Double.toString(latencies.getValueAtPercentile(99) / 1e3));
        result.setProperty("counted", Long.toString(latencies.getTotalCount()));
        return result;
    }
}
