/** Processes that divide the partitions by locks in the database. */
@NullMarked
package dev.envelope.integration.table;

import org.jspecify.annotations.NullMarked;
