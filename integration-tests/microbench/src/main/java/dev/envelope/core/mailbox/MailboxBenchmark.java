package dev.envelope.core.mailbox;

import dev.envelope.core.api.Message;
import dev.envelope.core.waiting.Slabs;
import dev.envelope.integration.microbench.Samples;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** A message posted and taken. */
@State(Scope.Thread)
public class MailboxBenchmark {

    private static final int LIST = 300;
    private static final long SECOND = 1_000_000_000;

    /** Whether messages have waited for long, and so are copied. */
    @Param({"false", "true"})
    public boolean asBytes;

    private final Mailbox mailbox = new Mailbox(new Slabs());
    private final List<Message> messages = List.of(Samples.messages(1_000)).subList(0, LIST);
    private long now;

    @Benchmark
    @OperationsPerInvocation(LIST)
    public void postAndTake(Blackhole sink) {
        mailbox.post(messages, now);
        now += asBytes ? SECOND : 0;
        for (Message message = mailbox.nextMessage(now);
                message != null;
                message = mailbox.nextMessage(now)) {
            sink.consume(message);
        }
    }
}
