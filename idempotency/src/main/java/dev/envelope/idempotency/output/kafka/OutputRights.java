package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.Words;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the brokers whether outputs can be sent exactly once: with a transaction that commits a
 * number and nothing else.
 */
public final class OutputRights {

    private static final String TRANSACTIONS = "__transaction_state";

    private final Brokers brokers;
    private final String applicationId;
    private final String startId;
    private final TopicPartition at;
    private final Acls acls;
    private final Asking asking;

    /** What was found. */
    public enum Finding {
        /** All rights are there. */
        GRANTED,
        /** A right or a topic is missing. */
        REFUSED,
        /** The brokers have no transactions. */
        NO_TRANSACTIONS,
        /** It is not known yet. */
        WAITING
    }

    /**
     * What the brokers say.
     *
     * @param words why; of a refusal a sentence for each right, with the command that gives it
     */
    public record Answer(Finding finding, List<String> words) {

        static Answer refusedIfAny(List<String> problems) {
            Finding finding = problems.isEmpty() ? Finding.GRANTED : Finding.REFUSED;
            return new Answer(finding, List.copyOf(problems));
        }

        static Answer of(Finding finding, String why) {
            return new Answer(finding, List.of(why));
        }

        /** All of it in one line. */
        public String why() {
            return String.join("; ", words);
        }
    }

    /**
     * @param startId of this start of the process: no other one may have the same
     * @param at the partition for which numbers are committed, of the application's first topic
     */
    public OutputRights(Brokers brokers, String applicationId, String startId, TopicPartition at) {
        this.startId = startId;
        this.brokers = brokers;
        this.applicationId = applicationId;
        this.at = at;
        this.acls = new Acls(brokers.servers(), applicationId);
        this.asking = new Asking(brokers, acls);
    }

    /**
     * Asks for all rights, and reports all that are missing.
     *
     * @param outputTopics the topics of outputs, as far as they are known
     */
    public Answer ask(Collection<String> outputTopics) {
        return asking.ask(
                admin -> {
                    List<String> missing = new ArrayList<>();
                    asking.require(admin, at.topic(), AclOperation.READ, missing);
                    for (String topic : new LinkedHashSet<>(outputTopics)) {
                        asking.require(admin, topic, AclOperation.WRITE, missing);
                    }
                    RuntimeException failure = tryTransaction();
                    return failure == null
                            ? Answer.refusedIfAny(missing)
                            : judge(admin, failure, missing);
                });
    }

    /** Commits a number under an id of its own; returns what has failed. */
    private @Nullable RuntimeException tryTransaction() {
        // An id of its own: processes that start at the same time must not fence each other.
        String id = Acls.prefix(applicationId) + "check-" + startId;
        TransactionalProducer producer;
        try {
            producer =
                    new TransactionalProducer(brokers.producer(), id, at, brokers.topics(), false);
        } catch (KafkaException e) {
            return e;
        }
        try {
            producer.open(0);
            return null;
        } catch (KafkaException | IllegalStateException e) {
            return e;
        } finally {
            producer.close();
        }
    }

    private Answer judge(Admin admin, RuntimeException failure, List<String> missing)
            throws TimeoutException, InterruptedException {
        String right = acls.missing(failure);
        if (right != null) {
            missing.add(right);
            if (right.equals(acls.transactionalIds()) && !maySeeGroups(admin)) {
                missing.add(acls.groups());
            }
        }
        if (!missing.isEmpty()) {
            return Answer.refusedIfAny(missing);
        } else if (isOf(failure, UnsupportedVersionException.class)) {
            return Answer.of(Finding.NO_TRANSACTIONS, Words.describeWithCause(failure));
        } else if (isOf(failure, org.apache.kafka.common.errors.TimeoutException.class)
                && !hasTransactionTopic(admin)) {
            return Answer.of(
                    Finding.NO_TRANSACTIONS,
                    "the brokers can't make the topic "
                            + TRANSACTIONS
                            + ": is transaction.state.log.replication.factor larger than the number"
                            + " of brokers?");
        }
        return Answer.of(Finding.WAITING, Words.describeWithCause(failure));
    }

    /** The transaction has not come so far as to ask for this right. */
    private boolean maySeeGroups(Admin admin) throws TimeoutException, InterruptedException {
        try {
            var unused =
                    Asking.answer(
                            admin.listConsumerGroupOffsets(Acls.prefix(applicationId) + "check")
                                    .partitionsToOffsetAndMetadata());
            return true;
        } catch (ExecutionException e) {
            return !(Asking.cause(e) instanceof AuthorizationException);
        }
    }

    /** The brokers make it when somebody asks for a transaction's coordinator. */
    private boolean hasTransactionTopic(Admin admin) throws TimeoutException, InterruptedException {
        try {
            var unused = Asking.answer(admin.describeTopics(List.of(TRANSACTIONS)).allTopicNames());
            return true;
        } catch (ExecutionException e) {
            return !(Asking.cause(e) instanceof UnknownTopicOrPartitionException);
        }
    }

    private static boolean isOf(Throwable problem, Class<? extends Throwable> kind) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
