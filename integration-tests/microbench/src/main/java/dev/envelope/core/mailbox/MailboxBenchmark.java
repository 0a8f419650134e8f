package dev.envelope.core.mailbox;

import dev.envelope.core.api.Message;
import dev.envelope.integration.microbench.Samples;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** A message posted and taken. */
@State(Scope.Thread)
public class MailboxBenchmark {

    private static final int LIST = 300;

    private final Mailbox mailbox = new Mailbox();
    private final List<Message> messages = List.of(Samples.messages(1_000)).subList(0, LIST);

    @Benchmark
    @OperationsPerInvocation(LIST)
    public void postAndTake(Blackhole sink) {
        mailbox.post(messages);
        for (Message message = mailbox.nextMessage();
                message != null;
                message = mailbox.nextMessage()) {
            sink.consume(message);
        }
    }
}
