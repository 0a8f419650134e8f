/**
 * The registry: every setting of the properties file, with its type, default, meaning and advice,
 * and its conditions with others, in the order of the reference. Loading, messages, the reference
 * and the sample file all read it; nothing about a setting is written anywhere else.
 */
@NullMarked
package dev.envelope.app.config.key;

import org.jspecify.annotations.NullMarked;
