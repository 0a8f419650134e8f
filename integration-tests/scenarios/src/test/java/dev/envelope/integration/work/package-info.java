@NullMarked
package dev.envelope.integration.work;

import org.jspecify.annotations.NullMarked;
