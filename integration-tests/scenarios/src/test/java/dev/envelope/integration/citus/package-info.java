/** Tests of consumers whose rows are on a worker of Citus. */
@NullMarked
package dev.envelope.integration.citus;

import org.jspecify.annotations.NullMarked;
