package dev.envelope.integration.bench.peers;

import dev.envelope.integration.bench.client.Starter;

import java.util.Map;

/**
 * The contestants of this module, found as a service.
 *
 * <p>Threads: immutable.
 */
public final class OtherLibraries implements Starter.Peers {

    @Override
    public Map<String, Starter> starters() {
        return Map.of(
                "spring", SpringClient::start,
                "pc16", ParallelClient.withTransactionPerRecord(16),
                "pc64", ParallelClient.withTransactionPerRecord(64),
                "pc-batch", ParallelClient.withBatches(),
                "streams", StreamsClient.withGuarantee("at_least_once"),
                "streams-eos", StreamsClient.withGuarantee("exactly_once_v2"));
    }
}
