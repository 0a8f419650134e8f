/** The database that the settings name. The program's only package that knows it is Postgres. */
@NullMarked
package dev.envelope.app.database;

import org.jspecify.annotations.NullMarked;
