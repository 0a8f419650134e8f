package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.outbox.TopicFinder;
import dev.envelope.idempotency.output.kafka.OutputRights.Answer;
import dev.envelope.idempotency.output.kafka.OutputRights.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Asks the brokers what an application may do. What they do not answer is waited for. */
record Asking(Brokers brokers, Acls acls) {

    private static final int ANSWER_MILLIS = 5_000;

    /** What to ask, over one connection. */
    interface Question {
        Answer ask(Admin admin) throws ExecutionException, TimeoutException, InterruptedException;
    }

    Answer ask(Question question) {
        Admin admin;
        try {
            admin = brokers.ask(ANSWER_MILLIS);
        } catch (KafkaException e) {
            return Answer.of(Finding.WAITING, Words.describeWithCause(e));
        }
        try {
            return question.ask(admin);
        } catch (ExecutionException e) {
            return Answer.of(Finding.WAITING, Words.describeWithCause(cause(e)));
        } catch (TimeoutException e) {
            return Answer.of(Finding.WAITING, "nobody answers at " + brokers.servers());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.of(Finding.WAITING, "interrupted");
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    /** Adds to {@code missing} if the topic does not exist, or lacks this right. */
    void require(Admin admin, String topic, AclOperation right, List<String> missing)
            throws ExecutionException, TimeoutException, InterruptedException {
        String sentence = right == AclOperation.READ ? acls.read(topic) : acls.write(topic);
        try {
            DescribeTopicsOptions withRights =
                    new DescribeTopicsOptions().includeAuthorizedOperations(true);
            TopicDescription found =
                    answer(admin.describeTopics(List.of(topic), withRights).allTopicNames())
                            .get(topic);
            if (found != null && lacks(found.authorizedOperations(), right)) {
                missing.add(sentence);
            }
        } catch (ExecutionException e) {
            if (cause(e) instanceof UnknownTopicOrPartitionException) {
                missing.add(
                        "the topic "
                                + topic
                                + " does not exist: "
                                + TopicFinder.howToMake(topic, brokers.servers()));
            } else if (cause(e) instanceof AuthorizationException) {
                missing.add(sentence);
            } else {
                throw e;
            }
        }
    }

    /** Old brokers do not say which rights we have. */
    private static boolean lacks(@Nullable Set<AclOperation> rights, AclOperation right) {
        return rights != null && !rights.contains(right);
    }

    static <T> T answer(KafkaFuture<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(2L * ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    }

    static Throwable cause(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
