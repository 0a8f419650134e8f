/** Real processes of one group on the local stack: killed, stopped, frozen, replayed. */
@NullMarked
package dev.envelope.integration.cluster;

import org.jspecify.annotations.NullMarked;
