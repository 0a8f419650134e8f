package dev.envelope.core;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;

/**
 * On which threads workers run. Virtual ones, which Java has from version 21 on, are for handlers
 * that wait for something else: hundreds of workers then cost no more than a few.
 */
public enum WorkerThreads {
    /** Threads of the operating system. */
    PLATFORM,
    /** Threads of Java's own. */
    VIRTUAL;

    private static final int FIRST_VERSION_WITH_VIRTUAL_ONES = 21;

    /** Whether this Java has them. */
    public boolean areThere() {
        return this == PLATFORM || Runtime.version().feature() >= FIRST_VERSION_WITH_VIRTUAL_ONES;
    }

    /** Threads of that name, numbered, that do not keep the process alive. */
    ThreadFactory factory(String name) {
        return this == PLATFORM ? SystemEnvironment.threads(name) : virtual(name);
    }

    /** By reflection, since we are compiled for a Java that does not have them. */
    private static ThreadFactory virtual(String name) {
        if (!VIRTUAL.areThere()) {
            throw new UnsupportedOperationException(
                    "virtual threads want Java 21 or later, and this is "
                            + Runtime.version().feature());
        }
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            builder =
                    type.getMethod("name", String.class, long.class)
                            .invoke(builder, name + "-", 1L);
            return (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("no virtual threads", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no virtual threads", e);
        }
    }
}
