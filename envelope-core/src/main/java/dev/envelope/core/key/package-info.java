/**
 * Which row a record belongs to: how keys become text, whether topics share rows, and what becomes
 * of records without a key. Pure.
 */
@NullMarked
package dev.envelope.core.key;

import org.jspecify.annotations.NullMarked;
