package dev.envelope.app.process;

import dev.envelope.idempotency.Application;
import java.util.function.Consumer;

/** An application in a process, with those who call it. */
interface Running extends AutoCloseable {

    /** The application. */
    Application application();

    /** Starts the application, and then what calls it. */
    void begin();

    /**
     * What to do when a slot has moved, so that the application has to start anew.
     *
     * @param startAnew called on any thread, again and again, with the reason
     */
    default void whenSlotsMoved(Consumer<String> startAnew) {}

    /** Refuses new calls. The application is closed by whoever ends the process. */
    void end();

    /** Closes what belongs to the application, and is closed after it. */
    @Override
    void close();
}
