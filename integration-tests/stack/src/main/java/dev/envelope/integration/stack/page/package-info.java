/** What the reports that are pages have in common. */
@NullMarked
package dev.envelope.integration.stack.page;

import org.jspecify.annotations.NullMarked;
