/** The demo of work without rows: letters that are posted to a server. */
@NullMarked
package dev.envelope.integration.demo.work;

import org.jspecify.annotations.NullMarked;
