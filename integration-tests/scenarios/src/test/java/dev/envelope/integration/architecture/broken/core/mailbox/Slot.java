package dev.envelope.integration.architecture.broken.core.mailbox;

import org.apache.kafka.common.TopicPartition;

/** Knows which partition a message is of. */
record Slot(TopicPartition partition) {}
