package dev.envelope.integration.microbench;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.dedupe.Verdict;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What deduping a message costs, and what keeping it known costs. */
@State(Scope.Thread)
public class MarksBenchmark {

    /** How many sources the key has had: one, or one for each time that partitions were added. */
    @Param({"1", "4"})
    public int sources;

    private final Message message = Samples.message(1_000_000, "account-1");
    private Marks marks;
    private String text;

    @Setup
    public void setUp() {
        marks = Marks.NONE;
        for (int source = 1; source <= sources; source++) {
            marks = marks.advance(source, new NextOffset(999_999, 0));
        }
        text = marks.format();
    }

    @Benchmark
    public Verdict judge() {
        return marks.judge(message);
    }

    @Benchmark
    public String advanceAndWrite() {
        return marks.advance(1, message.next()).format();
    }

    @Benchmark
    public Marks parse() {
        return Marks.parse(text);
    }
}
