/** The same asked for of many keys, from the terminal and over HTTP. */
@NullMarked
package dev.envelope.app.ops.bulk;

import org.jspecify.annotations.NullMarked;
