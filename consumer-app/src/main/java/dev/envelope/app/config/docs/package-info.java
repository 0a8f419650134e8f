/** The reference and the sample file, generated from the registry, so that all three agree. */
@NullMarked
package dev.envelope.app.config.docs;

import org.jspecify.annotations.NullMarked;
