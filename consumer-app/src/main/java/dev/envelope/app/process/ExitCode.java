package dev.envelope.app.process;

/** How the process ended, in the codes of sysexits.h where there is one. */
public final class ExitCode {

    public static final int OK = 0;

    /** Memory has run out; the code that {@code -XX:+ExitOnOutOfMemoryError} gives. */
    public static final int OUT_OF_MEMORY = 3;

    /** The command line is wrong. */
    public static final int USAGE = 64;

    /** The broker or the database could not be reached while the process started. */
    public static final int UNAVAILABLE = 69;

    /** The program is wrong. */
    public static final int INTERNAL = 70;

    /** A setting is wrong, here or on a server: it stays so until somebody changes it. */
    public static final int CONFIG = 78;

    private static final int SIGNALS = 128;

    private ExitCode() {}

    /** A signal ended it before it had saved what it wanted to. */
    public static int ofSignal(int number) {
        return SIGNALS + number;
    }
}
