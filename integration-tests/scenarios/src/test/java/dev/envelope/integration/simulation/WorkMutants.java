package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.work.WorkHandler.SettingAside;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.TopicPartition;

/** Wirings without rows that each break one promise. */
final class WorkMutants {

    private WorkMutants() {}

    /** Each tenth turn says that its messages are done, and does nothing. */
    static final WorkWiring ACKED_UNDONE =
            new WorkWiring() {
                @Override
                public EnvelopeHandler handler(EnvelopeHandler handler) {
                    return new EnvelopeHandler() {
                        private int turns;

                        @Override
                        public void handle(Turn turn) {
                            if (++turns % 10 > 0) {
                                handler.handle(turn);
                                return;
                            }
                            for (int i = 0; i < turn.envelopes().size(); i++) {
                                turn.settle(i, Outcome.applied(turn.envelopes().get(i)));
                            }
                        }
                    };
                }
            };

    static final WorkWiring DEAD_LETTERS_LOST =
            new WorkWiring() {
                @Override
                public SettingAside deadLetters(SettingAside deadLetters) {
                    return (message, givenUp) -> {};
                }
            };

    /** What a commit says beside its offset is not looked at. */
    static final WorkWiring MEMORY_FORGOTTEN = commits(it -> new TopicAdmin.Commit(it.next(), ""));

    /** Who begins behind a commit leaves one out. */
    static final WorkWiring COMMIT_READ_TOO_HIGH =
            commits(
                    it ->
                            new TopicAdmin.Commit(
                                    new NextOffset(it.next().offset() + 1, it.next().leaderEpoch()),
                                    it.metadata()));

    static final WorkWiring ORDER_OFF =
            new WorkWiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    return settings.withOrdering(Ordering.NONE);
                }
            };

    private static WorkWiring commits(UnaryOperator<TopicAdmin.Commit> read) {
        return new WorkWiring() {
            @Override
            public TopicAdmin admin(TopicAdmin admin) {
                return new ForwardingAdmin(admin) {

                    @Override
                    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
                        Map<TopicPartition, Commit> commits =
                                new HashMap<>(super.committed(partitions));
                        commits.replaceAll((partition, commit) -> read.apply(commit));
                        return commits;
                    }
                };
            }
        };
    }
}
