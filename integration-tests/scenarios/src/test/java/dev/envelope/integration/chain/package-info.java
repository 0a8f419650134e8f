/** Applications that read what others emit. */
@NullMarked
package dev.envelope.integration.chain;

import org.jspecify.annotations.NullMarked;
