package dev.envelope.integration.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.TopicPartition;

/**
 * The group coordinator, cooperative: it says what each member is to have; a member learns of it in
 * its poll, gives up first what it is to lose, and takes what nobody has any more. A member that
 * does not poll for the session's time is thrown out, and learns of that in its next poll.
 *
 * <p>Threads: one thread.
 */
final class SimGroup {

    static final long SESSION_NANOS = 4_000_000_000L;

    /** What the coordinator knows of one consumer. */
    static final class Member {
        private final String name;
        private final Set<TopicPartition> owned = new LinkedHashSet<>();
        private final Set<TopicPartition> target = new LinkedHashSet<>();
        private long lastSeen;
        private boolean isOut;

        Member(String name, long now) {
            this.name = name;
            this.lastSeen = now;
        }

        boolean owns(TopicPartition partition) {
            return !isOut && owned.contains(partition);
        }

        @Override
        public String toString() {
            return name + owned;
        }
    }

    private final List<TopicPartition> partitions;
    private final RandomGenerator random;
    private final Map<String, Member> members = new LinkedHashMap<>();

    SimGroup(List<TopicPartition> partitions, RandomGenerator random) {
        this.partitions = partitions;
        this.random = random;
    }

    Member join(String name, long now) {
        Member member = new Member(name, now);
        members.put(name, member);
        assign();
        return member;
    }

    /** A member comes back that was thrown out: what it owned is for others, or for it, anew. */
    void rejoin(Member member, long now) {
        member.owned.clear();
        member.isOut = false;
        member.lastSeen = now;
        members.put(member.name, member);
        assign();
    }

    void leave(Member member) {
        member.isOut = true;
        members.remove(member.name);
        assign();
    }

    void seen(Member member, long now) {
        member.lastSeen = now;
    }

    /** Throws out whom nobody has seen for too long; returns how many. */
    int expire(long now) {
        List<Member> silent =
                members.values().stream().filter(m -> now - m.lastSeen > SESSION_NANOS).toList();
        for (Member member : silent) {
            leave(member);
        }
        return silent.size();
    }

    /** Divides the partitions anew, by chance; most stay where they are. */
    void assign() {
        if (members.isEmpty()) {
            return;
        }
        List<Member> all = new ArrayList<>(members.values());
        List<TopicPartition> shuffled = new ArrayList<>(partitions);
        for (int i = shuffled.size() - 1; i > 0; i--) {
            Collections.swap(shuffled, i, random.nextInt(i + 1));
        }
        all.forEach(member -> member.target.clear());
        for (TopicPartition partition : shuffled) {
            Member keeper = random.nextInt(3) > 0 ? ownerOf(partition, all) : null;
            Member next = keeper != null ? keeper : all.get(random.nextInt(all.size()));
            next.target.add(partition);
        }
    }

    private static @org.jspecify.annotations.Nullable Member ownerOf(
            TopicPartition partition, List<Member> all) {
        return all.stream().filter(m -> m.owned.contains(partition)).findFirst().orElse(null);
    }

    /** What the member owns and is to give up. */
    List<TopicPartition> toRevoke(Member member) {
        List<TopicPartition> revoke = new ArrayList<>(member.owned);
        revoke.removeAll(member.target);
        return revoke;
    }

    void revoked(Member member, List<TopicPartition> given) {
        given.forEach(member.owned::remove);
    }

    /** What the member is to have and nobody has any more: from now on it does. */
    List<TopicPartition> toAssign(Member member) {
        Set<TopicPartition> taken = new HashSet<>();
        members.values().forEach(other -> taken.addAll(other.owned));
        List<TopicPartition> free = new ArrayList<>(member.target);
        free.removeAll(taken);
        member.owned.addAll(free);
        return free;
    }

    boolean isOut(Member member) {
        return member.isOut;
    }
}
