package dev.envelope.integration.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.simulation.SimGroup.Member;
import dev.envelope.integration.simulation.SimGroup.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class SimGroupTest {

    private static final int PARTITIONS = 15;

    private final List<Member> members = new ArrayList<>();

    /** Each of its rounds is one in which others can't commit. */
    @Test
    void onceNothingIsWrongACooperativeGroupOfManyPartitionsComesToRest() {
        int moved = 0;
        for (int seed = 0; seed < 50; seed++) {
            SimGroup group = group(seed, 4);
            group.settle();
            pollAll(group, 5);
            assertThat(group.isSettled()).as("seed %d", seed).isTrue();

            Member late = group.join("late", 0);
            members.add(late);
            pollAll(group, 5);
            assertThat(group.isSettled()).as("seed %d, with another", seed).isTrue();
            assertThat(members.stream().mapToLong(SimGroupTest::owned).sum()).isEqualTo(PARTITIONS);
            moved += owned(late) > 0 ? 1 : 0;
        }
        assertThat(moved).as("a newcomer gets some").isGreaterThan(5);
    }

    private SimGroup group(int seed, int size) {
        SimGroup group = new SimGroup(Protocol.COOPERATIVE, new SplittableRandom(seed));
        group.learn(partitions());
        members.clear();
        IntStream.range(0, size).forEach(it -> members.add(group.join("member-" + it, 0)));
        pollAll(group, 3);
        return group;
    }

    private static List<TopicPartition> partitions() {
        return IntStream.range(0, PARTITIONS).mapToObj(it -> new TopicPartition("a", it)).toList();
    }

    private static long owned(Member member) {
        return partitions().stream().filter(member::owns).count();
    }

    /** Joins, gives up, takes, as the client does. */
    private void pollAll(SimGroup group, int times) {
        for (int i = 0; i < 2 * times; i++) { // in one it joins, in another it learns what came
            for (Member member : members) {
                if (group.toGiveUpBeforeJoining(member) != null) {
                    group.joins(member);
                }
                if (group.hasNews(member)) {
                    List<TopicPartition> revoked = group.toRevoke(member);
                    group.revoked(member, revoked);
                    group.toAssign(member);
                    group.syncs(member, !revoked.isEmpty());
                }
            }
        }
    }
}
