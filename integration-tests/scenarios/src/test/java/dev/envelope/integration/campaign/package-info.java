@NullMarked
package dev.envelope.integration.campaign;

import org.jspecify.annotations.NullMarked;
