/** Holds the documents against what they speak of: links, names, examples. */
@NullMarked
package dev.envelope.integration.docs;

import org.jspecify.annotations.NullMarked;
