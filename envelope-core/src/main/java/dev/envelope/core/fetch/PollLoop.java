package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.assignment.AckBook;
import dev.envelope.core.assignment.Assignment;
import dev.envelope.core.assignment.OperatorPauses;
import dev.envelope.core.assignment.Positioning;
import dev.envelope.core.assignment.StandingPauses;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.Errands;
import dev.envelope.core.fetch.KeyDecoding.Keyed;
import dev.envelope.core.guard.GuardRails;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.membership.Membership;
import dev.envelope.core.membership.OfGroup;
import dev.envelope.core.membership.OfSlots;
import dev.envelope.core.membership.Slots;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Committer;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.position.PositionFinder;
import dev.envelope.core.status.EngineStatus;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The loop that everything hangs on, one pass at a time. It fetches ahead of the work, gives every
 * shard its messages, books what was saved, and commits. Nothing in it waits for the work.
 *
 * <p>Threads: poll thread only, but for {@link #errands}, {@link #close} and {@link #status}. A
 * turn can be called by a thread or by a test.
 */
public final class PollLoop {

    private static final Duration IDLE_POLL = Duration.ofMillis(100);
    private static final Duration SHORT_POLL = Duration.ofMillis(5);

    private final Errands errands;
    private final AckBook acks;
    private final Committer committer;
    private final Assignment assignment;
    private final FlowControl flow;
    private final OperatorPauses pauses = new OperatorPauses();
    private final StandingPauses standing;
    private final GuardRails guards;
    private final KeyDecoding decoding;
    private final Membership membership;
    private final Fetch fetch;
    private final Router router;
    private final Rebalance rebalance;
    private final StatusBoard board;
    private final Closing closing;
    private final Environment environment;

    /**
     * What the loop is made of.
     *
     * @param inbox where workers post what became of messages
     * @param patience how long to wait where nothing tells whether the message is at fault
     * @param gate which keys may enter a turn
     * @param protocol by which the client is a member of its group
     * @param slots decide instead of the group; null if that decides
     */
    public record Parts(
            Consumer<byte @Nullable [], byte @Nullable []> consumer,
            Set<String> topics,
            RowKeys keys,
            PositionFinder finder,
            Checkpoints checkpoints,
            AckInbox inbox,
            KeyGate gate,
            Shards shards,
            WorkerPool pool,
            Limits limits,
            FailurePolicy.Patience patience,
            Environment environment,
            Telemetry telemetry,
            GroupProtocol protocol,
            TopicAdmin admin,
            @Nullable Slots slots) {}

    /**
     * How much the loop may hold, and how long it may take.
     *
     * @param prefetchBytes the byte budget of the process
     * @param aheadMaxRecords most records between a partition's first unacked and its last
     * @param commitInterval how often progress is written down
     * @param revokeDeadline how long a revoke may wait for what is being saved, commit included
     */
    public record Limits(
            long prefetchBytes,
            long aheadMaxRecords,
            Duration commitInterval,
            Duration revokeDeadline) {}

    public PollLoop(Parts parts) {
        environment = parts.environment();
        var consumer = parts.consumer();
        var limits = parts.limits();
        var telemetry = parts.telemetry();
        errands = new Errands(environment.parker());
        Background background = new Background(environment, errands);
        assignment = new Assignment();
        standing =
                new StandingPauses(
                        parts.checkpoints(),
                        pauses,
                        parts.gate(),
                        background,
                        environment.ticker());
        Positioning positioning =
                new Positioning(
                        consumer,
                        assignment,
                        parts.finder(),
                        environment,
                        background,
                        standing,
                        parts.shards()::epochsEnded,
                        telemetry);
        acks = new AckBook(parts.inbox(), assignment, positioning);
        committer =
                new Committer(
                        consumer,
                        parts.checkpoints(),
                        environment,
                        background,
                        limits.commitInterval(),
                        positioning::beginAllAnew,
                        telemetry);
        Drain drain = new Drain(parts.pool(), parts.shards(), acks, environment);
        rebalance =
                new Rebalance(
                        assignment,
                        positioning,
                        drain,
                        committer,
                        environment.ticker(),
                        limits.revokeDeadline(),
                        telemetry);
        Callbacks callbacks = new Callbacks(rebalance);
        guards =
                new GuardRails(
                        parts.topics(),
                        assignment,
                        positioning,
                        parts.finder(),
                        committer,
                        background,
                        environment.ticker());
        flow =
                new FlowControl(
                        consumer,
                        assignment,
                        new Window(
                                limits.prefetchBytes(),
                                parts.pool()::messagesHandled,
                                parts.pool()::rowsHandled,
                                environment.ticker()),
                        limits.aheadMaxRecords(),
                        guards::holdsBack,
                        pauses);
        decoding =
                new KeyDecoding(
                        parts.keys(),
                        assignment,
                        positioning,
                        environment,
                        background,
                        parts.patience().unclearDecoder());
        membership = membership(parts, background);
        fetch = new Fetch(membership, callbacks, guards, environment.parker(), parts.protocol());
        router = new Router(assignment, parts.shards(), parts.keys(), telemetry);
        board =
                new StatusBoard(
                        consumer,
                        assignment,
                        flow,
                        committer,
                        guards,
                        parts.pool(),
                        environment.ticker());
        closing = new Closing(assignment, flow, drain, membership, committer, environment.ticker());
        membership.begin(parts.topics(), callbacks);
    }

    private static Membership membership(Parts parts, Background background) {
        @Nullable Slots slots = parts.slots();
        return slots == null
                ? new OfGroup(parts.consumer())
                : new OfSlots(
                        parts.consumer(),
                        slots,
                        parts.admin(),
                        parts.finder(),
                        background,
                        parts.environment().parker());
    }

    /**
     * One pass: everything that the poll thread does, in order.
     *
     * @return false when the loop has ended, after {@link #close}
     */
    public boolean turn() {
        membership.look(); // is anything lost that nobody else tells of?
        errands.run(); // what the background has found, and what others ask for
        acks.turn(); // what workers have saved leaves its ledger
        guards.turn(); // was a topic recreated or cut since its position was found?
        standing.turn(); // what do operators hold back?
        committer.turn(assignment.commitments()); // checkpoint, then commit, at the interval
        flow.turn(); // pause what is over its budget, resume what is not

        // Rebalances are told inside of it: what leaves is drained, what comes is positioned.
        ConsumerRecords<byte @Nullable [], byte @Nullable []> records = fetch.poll(patience());
        Keyed keyed = decoding.admit(guards.admit(records)); // what may be routed by now
        router.route(keyed, environment.ticker().nanoTime()); // by key, to its shard

        board.turn(rebalance.hasJoined(), membership); // what people are shown
        if (closing.isDue()) {
            closing.finish();
            return false;
        }
        return true;
    }

    /** How long a poll may wait for records: short when something else may need this thread. */
    private Duration patience() {
        boolean expectsNews =
                flow.holdsBack()
                        || decoding.isUnderWay()
                        || closing.isAsked()
                        || assignment.isLookingForPositions();
        return expectsNews ? SHORT_POLL : IDLE_POLL;
    }

    /** Any thread: runs something on the poll thread, soon. */
    public void errand(Runnable errand) {
        errands.execute(errand);
    }

    /**
     * Any thread: fetch nothing more of a partition until it is resumed, in this process and as
     * long as it runs.
     */
    public void pause(TopicPartition partition) {
        errands.execute(() -> pauses.pause(partition));
    }

    /** Any thread: the same for all partitions, those that are yet to come included. */
    public void pauseAll() {
        errands.execute(pauses::pauseAll);
    }

    /** Any thread: undoes {@link #pause}. */
    public void resume(TopicPartition partition) {
        errands.execute(() -> pauses.resume(partition));
    }

    /** Any thread: undoes all of that. */
    public void resumeAll() {
        errands.execute(pauses::resumeAll);
    }

    /**
     * Any thread: what operators hold back has changed in the database: looks with the next turn.
     */
    public void lookAtPauses() {
        errands.execute(standing::lookSoon);
    }

    /** Any thread: fetch no more, drain what was fetched for so long at most, commit, end. */
    public void close(Duration drainTime) {
        errands.execute(() -> closing.begin(drainTime));
    }

    /** Poll thread, after a fault: forgets everything, so that nothing more is committed. */
    public void abandon() {
        assignment.forgetAll();
    }

    /** Any thread: how things stood a moment ago. */
    public EngineStatus status() {
        return board.read();
    }

    /** After the loop has ended: whether everything that was fetched had been saved. */
    public boolean endedComplete() {
        return closing.wasComplete();
    }
}
