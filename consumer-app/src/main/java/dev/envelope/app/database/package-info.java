/**
 * The database that the settings name: the only room of the program that knows which kind it is.
 */
@NullMarked
package dev.envelope.app.database;

import org.jspecify.annotations.NullMarked;
