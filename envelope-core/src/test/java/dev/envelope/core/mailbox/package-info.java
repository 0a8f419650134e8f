@NullMarked
package dev.envelope.core.mailbox;

import org.jspecify.annotations.NullMarked;
