/**
 * Which row a record belongs to: how keys become text, what of several topics is one row, and what
 * becomes of records without a key. Pure.
 */
@NullMarked
package dev.envelope.core.key;

import org.jspecify.annotations.NullMarked;
