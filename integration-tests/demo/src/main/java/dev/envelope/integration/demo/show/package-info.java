/** What is told of a demo: its page, its lines on the terminal. */
@NullMarked
package dev.envelope.integration.demo.show;

import org.jspecify.annotations.NullMarked;
