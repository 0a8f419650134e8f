/** The process as its users meet it: its command line, its log, its pages and its exit codes. */
@NullMarked
package dev.envelope.integration.app;

import org.jspecify.annotations.NullMarked;
