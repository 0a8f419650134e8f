package dev.envelope.core.api;

/** What decides how many workers a pool has that may change their number by itself. */
public enum PoolSizing {
    /** Whether more workers get more done. */
    GAIN,
    /** Whether calls take longer than they have to. */
    LATENCY
}
