/**
 * The contestants of the benchmark that are made with other libraries, each as its documents
 * recommend it and tuned in its favour; the settings are listed in the benchmark's page.
 */
@NullMarked
package dev.envelope.integration.bench.peers;

import org.jspecify.annotations.NullMarked;
