/** The instances of the program that a demo runs, each a process of its own. */
@NullMarked
package dev.envelope.integration.demo.group;

import org.jspecify.annotations.NullMarked;
