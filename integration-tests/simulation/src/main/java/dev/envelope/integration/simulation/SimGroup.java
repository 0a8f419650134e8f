package dev.envelope.integration.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The group coordinator: it says what each member is to have; a member learns of it in its poll. A
 * member that does not poll for the session's time is thrown out, and learns of that in its next
 * poll.
 *
 * <p>Threads: one thread.
 */
final class SimGroup {

    static final long SESSION_NANOS = 3_000_000_000L;

    /** How members and coordinator come to an agreement. */
    enum Protocol {
        /** All give up all, join, and are given their parts anew. */
        EAGER,
        /** All join, give up only what they are to lose, and join again for others to have it. */
        COOPERATIVE,
        /** Nobody waits for anybody: each is told what to give up, and given what is free. */
        CONSUMER;

        /** As the client's setting names it. */
        GroupProtocol ofTheClient() {
            return this == CONSUMER ? GroupProtocol.CONSUMER : GroupProtocol.CLASSIC;
        }
    }

    /** What the coordinator knows of one consumer. */
    static final class Member {
        private final String name;
        private final Set<TopicPartition> owned = new LinkedHashSet<>();
        private final Set<TopicPartition> target = new LinkedHashSet<>();
        private long lastSeen;
        private int joined;
        private int synced;
        private boolean isOut;

        Member(String name, long now) {
            this.name = name;
            this.lastSeen = now;
        }

        /** The round that it has got its partitions in last. */
        int generation() {
            return synced;
        }

        boolean owns(TopicPartition partition) {
            return !isOut && owned.contains(partition);
        }

        /** Whether it has joined a round and does not know yet what came of it. */
        boolean isBetween() {
            return synced < joined;
        }

        @Override
        public String toString() {
            return name + owned;
        }
    }

    private final Protocol protocol;
    private final RandomGenerator random;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Set<TopicPartition> partitions = new LinkedHashSet<>();
    private int round = 1;
    private int divided;
    private int changes;
    private boolean settles;
    private boolean isToMove; // whether anything has changed since the partitions were divided

    SimGroup(Protocol protocol, RandomGenerator random) {
        this.protocol = protocol;
        this.random = random;
    }

    Protocol protocol() {
        return protocol;
    }

    /** The group learns of the partitions that there are. */
    void learn(Collection<TopicPartition> now) {
        partitions.clear();
        partitions.addAll(now);
        rebalance();
    }

    Member join(String name, long now) {
        Member member = new Member(name, now);
        members.put(name, member);
        rebalance();
        return member;
    }

    /** A member comes back that was thrown out: what it owned is for others, or for it, anew. */
    void rejoin(Member member, long now) {
        member.owned.clear();
        member.isOut = false;
        member.lastSeen = now;
        members.put(member.name, member);
        rebalance();
    }

    void leave(Member member) {
        member.isOut = true;
        members.remove(member.name);
        rebalance();
    }

    void seen(Member member, long now) {
        member.lastSeen = now;
    }

    /** Throws out whom nobody has seen for too long. */
    void expire(long now) {
        members.values().stream()
                .filter(m -> now - m.lastSeen > SESSION_NANOS)
                .toList()
                .forEach(this::leave);
    }

    /**
     * From now on a round that others have what was given up moves nothing else, as those of real
     * assignors. Until then each moves some: where there are many partitions, that may never end.
     */
    void settle() {
        settles = true;
    }

    /** Has the partitions divided anew. */
    void rebalance() {
        isToMove = true;
        again();
    }

    private void again() {
        changes++;
        if (protocol == Protocol.CONSUMER) {
            divide();
        } else {
            round++;
        }
    }

    /** By chance; most stay where they are, or all that somebody has. */
    private void divide() {
        if (members.isEmpty()) {
            return;
        }
        List<Member> all = new ArrayList<>(members.values());
        all.forEach(member -> member.target.clear());
        for (TopicPartition partition : partitions) {
            boolean stays = random.nextInt(3) > 0 || (settles && !isToMove);
            Member keeper = stays ? ownerOf(partition, all) : null;
            Member next = keeper != null ? keeper : all.get(random.nextInt(all.size()));
            next.target.add(partition);
        }
        isToMove = false;
    }

    private static @Nullable Member ownerOf(TopicPartition partition, List<Member> all) {
        return all.stream().filter(m -> m.owned.contains(partition)).findFirst().orElse(null);
    }

    /** Whether the member is to join a round; what it is to give up before that. */
    @Nullable List<TopicPartition> toGiveUpBeforeJoining(Member member) {
        if (protocol == Protocol.CONSUMER || member.joined == round) {
            return null;
        }
        return protocol == Protocol.EAGER ? List.copyOf(member.owned) : List.of();
    }

    /** The member joins the round that is open; when all have, the partitions are divided. */
    void joins(Member member) {
        member.joined = round;
        if (members.values().stream().allMatch(m -> m.joined == round)) {
            divide();
            divided = round;
        }
    }

    /** Whether there is something for the member to learn. */
    boolean hasNews(Member member) {
        return protocol == Protocol.CONSUMER
                || (member.joined == divided && member.synced < divided && divided == round);
    }

    /** What the member owns and is to give up. */
    List<TopicPartition> toRevoke(Member member) {
        List<TopicPartition> revoke = new ArrayList<>(member.owned);
        revoke.removeAll(member.target);
        return revoke;
    }

    void revoked(Member member, List<TopicPartition> given) {
        changes++;
        given.forEach(member.owned::remove);
    }

    /** What the member is to have and nobody has any more: from now on it does. */
    List<TopicPartition> toAssign(Member member) {
        Set<TopicPartition> taken = new HashSet<>();
        members.values().forEach(other -> taken.addAll(other.owned));
        List<TopicPartition> free = new ArrayList<>(member.target);
        free.removeAll(taken);
        member.owned.addAll(free);
        changes += free.size();
        return free;
    }

    /** The member has learnt what came of the round. */
    void syncs(Member member, boolean hasGivenUp) {
        member.synced = member.joined;
        if (hasGivenUp && protocol == Protocol.COOPERATIVE) {
            again(); // for others to have it
        }
    }

    /** Whether each member has what it is to have, and knows of it. */
    boolean isSettled() {
        return members.values().stream()
                .allMatch(
                        it ->
                                it.owned.equals(it.target)
                                        && (protocol == Protocol.CONSUMER || it.synced == round));
    }

    /** How often anything has changed about who has what. */
    int changes() {
        return changes;
    }

    boolean isOut(Member member) {
        return member.isOut;
    }
}
