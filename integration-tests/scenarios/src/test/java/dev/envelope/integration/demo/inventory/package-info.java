/** What the auditor of the inventory demo finds. */
@NullMarked
package dev.envelope.integration.demo.inventory;

import org.jspecify.annotations.NullMarked;
