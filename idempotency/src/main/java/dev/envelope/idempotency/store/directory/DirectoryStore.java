package dev.envelope.idempotency.store.directory;

import dev.envelope.core.api.UnavailableException;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Which process owns which partition, as each has told.
 *
 * <p>Threads: may block, within its own timeouts; throws {@link UnavailableException}.
 */
public interface DirectoryStore {

    /**
     * What a process has told.
     *
     * @param address of its gateway
     * @param generation of the group
     */
    record Claim(String address, int generation, Set<TopicPartition> partitions) {

        public Claim {
            partitions = Set.copyOf(partitions);
        }
    }

    /**
     * The claim of a process.
     *
     * @param isOurs whether it is of this process
     */
    record Owner(String instance, boolean isOurs, Claim claim) {}

    /**
     * Replaces what this process has told.
     *
     * @return whether the database knows this process; it does a second after its start
     */
    boolean tell(Claim claim);

    /** What those processes have told that have told something in the last ten seconds. */
    List<Owner> owners();
}
