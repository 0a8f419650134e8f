/** Processes that divide the partitions by locks in the database. */
@NullMarked
package dev.envelope.integration.slots;

import org.jspecify.annotations.NullMarked;
