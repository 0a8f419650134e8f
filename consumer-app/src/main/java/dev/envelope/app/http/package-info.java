/**
 * What the HTTP servers of the process share: how they listen, who may call, and how requests and
 * answers look.
 */
@NullMarked
package dev.envelope.app.http;

import org.jspecify.annotations.NullMarked;
