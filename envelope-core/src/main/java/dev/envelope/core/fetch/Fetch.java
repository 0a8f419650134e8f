package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Parker;
import dev.envelope.core.background.Outage;
import dev.envelope.core.guard.GuardRails;
import dev.envelope.core.membership.Membership;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One poll of the client, and what its exceptions mean: those that name partitions take only these
 * aside; of the others some are outages that pass, and for the rest the partition is searched for.
 *
 * <p>Threads: poll thread only.
 */
final class Fetch {

    private static final Logger log = LoggerFactory.getLogger(Fetch.class);
    private static final long PAUSE_AFTER_ERROR_NANOS = 100_000_000;
    private static final long PAUSE_IN_SEARCH_NANOS = 5_000_000;

    private final Membership membership;
    private final Callbacks callbacks;
    private final GuardRails guards;
    private final Parker parker;
    private final GroupProtocol protocol;
    private final Outage outage = new Outage(log, "polling");

    Fetch(
            Membership membership,
            Callbacks callbacks,
            GuardRails guards,
            Parker parker,
            GroupProtocol protocol) {
        this.membership = membership;
        this.callbacks = callbacks;
        this.guards = guards;
        this.parker = parker;
        this.protocol = protocol;
    }

    ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        try {
            ConsumerRecords<byte @Nullable [], byte @Nullable []> records =
                    membership.poll(timeout);
            callbacks.rethrow();
            outage.over();
            guards.passed();
            return records;
        } catch (InvalidOffsetException | RecordDeserializationException e) {
            guards.failed(e);
        } catch (InterruptException | FencedInstanceIdException e) {
            throw e;
        } catch (KafkaException e) {
            callbacks.rethrow();
            if (endsMembership(e)) {
                throw e;
            }
            failed(e);
        }
        return ConsumerRecords.empty();
    }

    /**
     * Whether the client is out of the group for good. It says so once; every poll after that
     * brings nothing, as if there were nothing to read.
     */
    private boolean endsMembership(KafkaException failure) {
        return protocol == GroupProtocol.CONSUMER
                && (failure instanceof UnreleasedInstanceIdException
                        || failure instanceof GroupAuthorizationException
                        || failure instanceof UnsupportedVersionException);
    }

    private void failed(KafkaException failure) {
        outage.failed(failure);
        if (passesByItself(failure)) {
            guards.disturbed();
        } else {
            guards.failed(failure);
        }
        parker.park(guards.isSearching() ? PAUSE_IN_SEARCH_NANOS : PAUSE_AFTER_ERROR_NANOS);
    }

    /** Whether it says nothing about a log: an outage, or rights that somebody will give back. */
    private static boolean passesByItself(Throwable failure) {
        for (@Nullable Throwable it = failure; it != null; it = it.getCause()) {
            if (it instanceof CorruptRecordException) {
                return false; // Kafka would try it again, for ever
            }
            if (it instanceof RetriableException
                    || it instanceof AuthenticationException
                    || it instanceof AuthorizationException) {
                return true;
            }
        }
        return false;
    }
}
