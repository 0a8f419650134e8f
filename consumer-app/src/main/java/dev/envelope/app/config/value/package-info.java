/** The types of settings: how a text becomes a checked value, and which texts are allowed. */
@NullMarked
package dev.envelope.app.config.value;

import org.jspecify.annotations.NullMarked;
