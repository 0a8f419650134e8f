/** Encrypted servers, least rights, hostile records, and secrets that must not be seen. */
@NullMarked
package dev.envelope.integration.security;

import org.jspecify.annotations.NullMarked;
