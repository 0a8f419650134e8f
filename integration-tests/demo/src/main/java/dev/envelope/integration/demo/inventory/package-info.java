/**
 * The second demo: orders reserve stock over HTTP and Kafka, reservations expire, and an auditor
 * works out from the log what each row, event and answer has to be.
 */
@NullMarked
package dev.envelope.integration.demo.inventory;

import org.jspecify.annotations.NullMarked;
