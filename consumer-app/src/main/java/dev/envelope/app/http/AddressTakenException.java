package dev.envelope.app.http;

import dev.envelope.app.config.value.HostPort;

/** Another process listens there, or it is no address of this machine. */
public final class AddressTakenException extends Exception {

    private static final long serialVersionUID = 1L;

    AddressTakenException(HostPort address, Throwable cause) {
        super(
                "cannot listen on " + address + ": it is in use, or no address of this machine",
                cause);
    }
}
