package dev.envelope.core.mailbox;

/** Who is told that a shard has something to do. Threads: thread-safe. */
@FunctionalInterface
public interface ReadyShards {

    /** The shard is to be run; it is not told again until it has been released. */
    void ready(Shard shard);
}
