package dev.envelope.core.api;

public final class Trace {
    private static final java.util.Map<String, Integer> counts =
            new java.util.concurrent.ConcurrentHashMap<>();

    public static void at(String what) {
        if (counts.merge(what, 1, Integer::sum) <= 3) {
            long n = System.currentTimeMillis();
            System.err.println("TRACE " + n + " " + what);
        }
    }

    public static void all(String what) {
        System.err.println("TRACE " + System.currentTimeMillis() + " " + what);
    }

    private Trace() {}
}
