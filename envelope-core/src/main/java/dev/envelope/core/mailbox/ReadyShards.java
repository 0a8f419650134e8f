package dev.envelope.core.mailbox;

/** Takes shards that have something to do. Threads: thread-safe. */
@FunctionalInterface
public interface ReadyShards {

    /** The shard is to be run; called again for it only after it has been released. */
    void ready(Shard shard);
}
