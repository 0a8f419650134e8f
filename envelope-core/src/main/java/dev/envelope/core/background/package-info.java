/**
 * What the poll thread has done elsewhere, and how the answers come back: it asks ({@code
 * Background}), something else does what may block, and the answer is an errand that runs on the
 * poll thread. So nothing but the poll thread touches what it owns, and it waits for nobody.
 *
 * <p>Whoever is answered has to look first whether the question still stands: a partition may have
 * been revoked since it was asked for.
 */
@NullMarked
package dev.envelope.core.background;

import org.jspecify.annotations.NullMarked;
