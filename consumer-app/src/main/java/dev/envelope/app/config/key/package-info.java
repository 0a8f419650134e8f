/**
 * The registry: every setting of the properties file, with its type, default, meaning and advice,
 * and what has to hold between it and others, in the order in which a reader thinks. Loading,
 * messages, the reference and the sample file all read it; nothing about a setting is written
 * anywhere else.
 */
@NullMarked
package dev.envelope.app.config.key;

import org.jspecify.annotations.NullMarked;
