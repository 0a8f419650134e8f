/** The reference and the sample file, written out of the registry so that they cannot drift. */
@NullMarked
package dev.envelope.app.config.docs;

import org.jspecify.annotations.NullMarked;
