package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.SourceCopies.Copy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every slot owes the others, as far as sources go. */
public abstract class SourceCopiesContract {

    private static final Uuid TOPIC = new Uuid(1, 1);
    private static final Uuid LATER_TOPIC = new Uuid(-2, 2);
    private static final NextOffset START = new NextOffset(40, 2);
    private static final NextOffset LATER = new NextOffset(55, 3);

    private StoreFixture fixture;
    private SourceCopies sources;

    /** A store without a source. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        fixture = open();
        sources = fixture.sources();
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    @Test
    void aSlotKnowsACopyAsItsHomeDoes() {
        int number = introduced(0, TOPIC);
        Copy original = sources.all().get(0);
        assertThat(original).isEqualTo(copy(number, 0, TOPIC, null));

        try (StoreFixture other = open()) {
            other.sources().copy(original, LATER);

            assertThat(other.sources().all()).containsExactly(original);
            Source its = only(other.checkpoints());
            assertThat(its.number()).isEqualTo(number);
            assertThat(its.start()).isEqualTo(START);
            assertThat(its.checkpoint()).isEqualTo(LATER);
            assertThat(its.growth().settled()).isTrue();
        }
    }

    /** So that a home that went back is told of it again as it was. */
    @Test
    void aCopyOfAnAddedPartitionKnowsWhetherItWaits() {
        for (boolean settled : new boolean[] {true, false}) {
            try (StoreFixture other = open()) {
                Copy added = added(settled);
                other.sources().copy(added, LATER);

                assertThat(other.sources().all()).containsExactly(added);
                Source its = only(other.checkpoints());
                assertThat(its.growth().round()).isEqualTo(2);
                assertThat(its.growth().settled()).isEqualTo(settled);
            }
        }
    }

    private static Copy added(boolean settled) {
        TopicPartition partition = new TopicPartition("orders", 9);
        return new Copy(4, partition, uuid(TOPIC), null, 0, START, 2, settled);
    }

    @Test
    void whatIsCopiedTwiceStaysAsItIs() {
        Copy source = copy(7, 0, TOPIC, LATER_TOPIC);
        sources.copy(source, LATER);
        Checkpoints checkpoints = fixture.checkpoints();
        NextOffset saved = new NextOffset(70, 4);
        checkpoints.save(Map.of(7, saved), checkpoints.incarnation());

        sources.copy(source, LATER);
        sources.copy(source, START);

        assertThat(sources.all()).containsExactly(source);
        assertThat(only(checkpoints).checkpoint()).isEqualTo(saved);
    }

    @Test
    void anotherSourceUnderANumberIsRefused() {
        sources.copy(copy(7, 0, TOPIC, null), START);

        assertRefused(copy(7, 1, TOPIC, null));
        assertRefused(copy(7, 0, LATER_TOPIC, null));
        TopicPartition partition = new TopicPartition("orders", 0);
        assertRefused(new Copy(7, partition, uuid(TOPIC), null, 1, START, 0, true));
        assertRefused(copy(8, 0, TOPIC, null)); // the same under another number
        assertThat(sources.all()).containsExactly(copy(7, 0, TOPIC, null));
    }

    private void assertRefused(Copy source) {
        assertThatThrownBy(() -> sources.copy(source, START)).isInstanceOf(RefusedException.class);
    }

    @Test
    void whatASourceFeedsOnlyGrows() {
        int first = introduced(0, TOPIC);
        int second = introduced(1, TOPIC);
        assertThat(sources.fed()).isEmpty();

        sources.feeds(first, 0);
        sources.feeds(first, 5);
        sources.feeds(first, 5);
        sources.feeds(second, 3);

        assertThat(sources.fed()).isEqualTo(Map.of(first, Set.of(0, 5), second, Set.of(3)));
    }

    /** It is no checkpoint of home, and raising that changes nothing of it. */
    @Test
    void whatASourceFeedsIsBesideItsCheckpoint() {
        int number = introduced(0, TOPIC);
        Checkpoints checkpoints = fixture.checkpoints();

        sources.feeds(number, 2);
        assertThat(only(checkpoints).checkpoint()).isEqualTo(START);
        checkpoints.save(Map.of(number, LATER), checkpoints.incarnation());

        assertThat(only(checkpoints).checkpoint()).isEqualTo(LATER);
        assertThat(sources.fed()).isEqualTo(Map.of(number, Set.of(2)));
    }

    @Test
    void noNumberIsGivenThatIsTakenElsewhere() {
        int first = introduced(0, TOPIC);

        sources.giveNoNumberUpTo(first + 5);
        sources.giveNoNumberUpTo(first + 2);

        assertThat(introduced(1, TOPIC)).isGreaterThan(first + 5);
    }

    private int introduced(int partition, Uuid topic) {
        return fixture
                .checkpoints()
                .introduce(
                        List.of(
                                new NewSource(
                                        new TopicPartition("orders", partition), topic, START)))
                .sources()
                .stream()
                .filter(it -> it.partition().partition() == partition)
                .mapToInt(Source::number)
                .findAny()
                .orElseThrow();
    }

    private static Source only(Checkpoints checkpoints) {
        List<Source> all = checkpoints.read(Set.of("orders")).sources();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static Copy copy(int number, int partition, Uuid topic, @Nullable Uuid first) {
        return new Copy(
                number,
                new TopicPartition("orders", partition),
                uuid(topic),
                first == null ? null : uuid(first),
                0,
                START,
                0,
                true);
    }

    private static UUID uuid(Uuid id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
