/** The stages that wait for nobody, each measured alone: time and bytes allocated for a message. */
@org.jspecify.annotations.NullMarked
package dev.envelope.integration.microbench;
