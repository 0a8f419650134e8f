package dev.envelope.app.ops.api;

import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.live.History;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.offset.MessageName;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.status.Holdup;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.operator.StoppedCatalog;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** An API whose engine is at hand, and whose database is nowhere. */
public final class ApiBench {

    public static final PartitionEpoch EPOCH =
            new PartitionEpoch(3, new TopicPartition("payments", 1), 7, new Incarnation("life"));

    private static final List<Setting> SETTINGS =
            List.of(
                    new Setting("pool.size", "4", new Origin.FileLine("consumer.properties", 12)),
                    new Setting("log.level", "INFO", Origin.unset()),
                    new Setting("store.password", "********", Origin.unset()));

    private final Supplier<ProcessStatus> status;

    public final Timeline timeline = new Timeline(Clock.systemUTC());
    public final History history = new History();
    public final Meters meters = new Meters(new SimpleMeterRegistry(), timeline);
    public final List<Holdup> holdups = new ArrayList<>();
    public final List<String> done = new ArrayList<>();
    public int looksAtPauses;
    public boolean isThere = true;
    public Optional<Standing> standing = Optional.empty();

    public ApiBench(Supplier<ProcessStatus> status) {
        this.status = status;
    }

    /** A message of that key in partition payments-1. */
    public static Message message(long offset, String key) {
        return Message.of(
                EPOCH,
                offset,
                key,
                new ConsumerRecord<>("payments", 1, offset, new byte[0], new byte[0]));
    }

    /** The name of such a message. */
    public static MessageName name(long offset, String key) {
        return MessageName.of(message(offset, key));
    }

    /** Of a database that nobody can reach, but for what is held back. */
    private Rows rows() {
        OperatorStore nowhere =
                new OperatorConnections(
                        new PostgresSettings(
                                "jdbc:postgresql://127.0.0.1:1/nowhere",
                                new PostgresSettings.Login("nobody", () -> new char[0]),
                                "payments",
                                "payments",
                                "here",
                                1,
                                PostgresSettings.Timeouts.DEFAULT),
                        System::nanoTime);
        return new Rows(
                new OperatorStore() {
                    @Override
                    public PauseCatalog pauses() {
                        return new FakePauses();
                    }

                    @Override
                    public KeyCatalog keys() {
                        return nowhere.keys();
                    }

                    @Override
                    public ParkedCatalog parked() {
                        return nowhere.parked();
                    }

                    @Override
                    public RequestCatalog requests() {
                        return nowhere.requests();
                    }

                    @Override
                    public StoppedCatalog stopped() {
                        return nowhere.stopped();
                    }

                    @Override
                    public OutputCatalog outputs() {
                        return new FakeOutputs();
                    }

                    @Override
                    public LockCatalog locks() {
                        return nowhere.locks();
                    }

                    @Override
                    public void close() {
                        nowhere.close();
                    }
                });
    }

    public Live live() {
        return new Live(status, this::engine, rows(), meters, history, timeline);
    }

    public Api api() {
        return api(live());
    }

    public Api api(Live live) {
        return new Api(
                status,
                this::engine,
                rows(),
                new HeldSettings(SETTINGS),
                live,
                timeline,
                () -> List.of("pool.size 4 -> 8"));
    }

    private Optional<Engine> engine() {
        return isThere ? Optional.of(new FakeEngine()) : Optional.empty();
    }

    private final class FakeEngine implements Engine {

        @Override
        public List<Holdup> holdups() {
            return List.copyOf(holdups);
        }

        @Override
        public Optional<Standing> standing(String key) {
            return standing;
        }

        @Override
        public List<Map.Entry<String, Standing>> longestWaiting(int most) {
            return standing.stream().map(it -> Map.entry("account-7", it)).toList();
        }

        @Override
        public Map<Stage, Integer> messagesByStage() {
            return Map.of(Stage.SAVE, 4);
        }

        @Override
        public Duration since(Standing asked) {
            return Duration.ofSeconds(3);
        }

        @Override
        public void resize(int workers) {
            done.add("size " + workers);
        }

        @Override
        public void pauseAll() {
            done.add("pause all");
        }

        @Override
        public void resumeAll() {
            done.add("resume all");
        }

        @Override
        public void lookAtPauses() {
            looksAtPauses++;
        }

        @Override
        public void limitKeys(int messagesPerSecond) {
            done.add("rate " + messagesPerSecond);
        }
    }

    /** Something is refused at 7; something at 8 is being sent. */
    private final class FakeOutputs implements OutputCatalog {

        @Override
        public Waiting waiting(int mostSaves) {
            return new Waiting(List.of(new Topic("orders", 5, 2, Instant.EPOCH)), true);
        }

        @Override
        public List<Refused> refused(long after, int most) {
            Refused first = new Refused(7, "orders", "k", "t-1@5", "large", Instant.EPOCH, 3);
            return Stream.of(first, new Refused(8, "orders", null, null, "no", Instant.EPOCH, 1))
                    .filter(it -> it.position() > after)
                    .limit(most)
                    .toList();
        }

        @Override
        public Done retry(@Nullable Long position, String who) {
            done.add("retry " + position);
            return position == null ? new Done(1, 1) : answer(position);
        }

        @Override
        public Done drop(long position, String who) {
            done.add("drop " + position);
            return answer(position);
        }

        private static Done answer(long position) {
            return new Done(position == 7 ? 1 : 0, position == 8 ? 1 : 0);
        }

        @Override
        public void close() {}
    }

    private final class FakePauses implements PauseCatalog {

        @Override
        public Answer pause(Kind kind, String name, Optional<Duration> time, String by) {
            done.add("pause " + kind + " " + name + " " + time + " " + by);
            if (name.equals("away")) {
                throw new UnavailableException("the database is away");
            }
            return switch (name) {
                case "payments-7" -> Answer.NO_SUCH_PARTITION;
                case "one more" -> Answer.TOO_MANY;
                default -> Answer.PAUSED;
            };
        }

        @Override
        public boolean resume(Kind kind, String name, String by) {
            done.add("resume " + kind + " " + name);
            return !name.equals("other");
        }

        @Override
        public Pauses all() {
            return new Pauses(
                    List.of(new Pauses.Pause(Kind.KEY, "a b", "me", Instant.EPOCH, null)));
        }

        @Override
        public boolean isPaused(Kind kind, String key) {
            return key.equals("paused");
        }

        @Override
        public void close() {}
    }
}
