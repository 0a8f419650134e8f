/**
 * Outages of the servers and of the network, under load: what is paused heals, and nothing is
 * parked.
 */
@NullMarked
package dev.envelope.integration.outage;

import org.jspecify.annotations.NullMarked;
