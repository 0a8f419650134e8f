/** What stands between the program and its database in many places: a pooler of connections. */
@NullMarked
package dev.envelope.integration.pooler;

import org.jspecify.annotations.NullMarked;
