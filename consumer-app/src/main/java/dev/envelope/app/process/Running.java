package dev.envelope.app.process;

import dev.envelope.idempotency.Application;

/** An application in a process, with those who call it. */
interface Running extends AutoCloseable {

    /** The application. */
    Application application();

    /** Starts the application, and then what calls it. */
    void begin();

    /** Refuses new calls. The application is closed by whoever ends the process. */
    void end();

    /** Closes what belongs to the application, and is closed after it. */
    @Override
    void close();
}
