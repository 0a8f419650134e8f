package dev.envelope.app.process;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles signals of the operating system. Java offers that only in a class which the compiler does
 * not expose, so it is called by reflection, here and nowhere else. Where it is missing, the
 * default handlers stay.
 */
public final class Signals {

    private static final Logger log = LoggerFactory.getLogger(Signals.class);

    /** A signal that we handle. */
    public enum Kind {
        /** Sent by Ctrl-C. */
        INT(2),
        /** The usual request to stop. */
        TERM(15),
        /** The terminal was closed, or: read the settings again. */
        HUP(1);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** Its number, the same on every system that we run on. */
        public int number() {
            return number;
        }
    }

    private Signals() {}

    /**
     * Calls the listener for every signal from now on.
     *
     * @param listener must be quick, or end the process
     */
    public static void listen(Consumer<Kind> listener) {
        for (Kind kind : Kind.values()) {
            handle(kind, () -> listener.accept(kind));
        }
    }

    private static void handle(Kind kind, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run =
                    MethodHandles.publicLookup()
                            .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                            .bindTo(action);
            Object ours =
                    MethodHandleProxies.asInterfaceInstance(
                            handler, MethodHandles.dropArguments(run, 0, signal));
            Object name = signal.getConstructor(String.class).newInstance(kind.name());
            signal.getMethod("handle", signal, handler).invoke(null, name, ours);
        } catch (InvocationTargetException e) {
            // The JVM reserves the signal (-Xrs), or the system has none of that name.
            log.debug("SIG{} can't be handled", kind, e.getCause());
        } catch (ReflectiveOperationException e) {
            log.warn("this JVM offers no signals: SIG{} ends the process without a drain", kind);
        }
    }
}
