package dev.envelope.core;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;

/**
 * The kind of threads that workers run on. Virtual threads, which Java has from version 21 on, are
 * for handlers that wait for other systems: hundreds of workers then cost no more than a few.
 */
public enum WorkerThreads {
    /** Threads of the operating system. */
    PLATFORM,
    /** Virtual threads of the JVM. */
    VIRTUAL;

    private static final int FIRST_VERSION_WITH_VIRTUAL_ONES = 21;

    /** Whether this version of Java has them. */
    public boolean areThere() {
        return this == PLATFORM || Runtime.version().feature() >= FIRST_VERSION_WITH_VIRTUAL_ONES;
    }

    /** Daemon threads of that name, numbered. */
    public ThreadFactory factory(String name) {
        return this == PLATFORM ? SystemEnvironment.threads(name) : virtual(name);
    }

    /** By reflection, since the code is compiled for Java 17, which does not have them. */
    private static ThreadFactory virtual(String name) {
        if (!VIRTUAL.areThere()) {
            throw new UnsupportedOperationException(
                    "virtual threads need Java 21 or later, and this is "
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
