package dev.envelope.app.process;

/** The exit codes of the process; those of sysexits.h, where one fits. */
public final class ExitCode {

    public static final int OK = 0;

    /** Memory has run out; the code that {@code -XX:+ExitOnOutOfMemoryError} gives. */
    public static final int OUT_OF_MEMORY = 3;

    /** The command line is wrong. */
    public static final int USAGE = 64;

    /** The broker or the database could not be reached while the process started. */
    public static final int UNAVAILABLE = 69;

    /** An error of the program. */
    public static final int INTERNAL = 70;

    /** A setting is wrong, here or on a server: a restart does not help. */
    public static final int CONFIG = 78;

    /** A slot has moved, and the process could not start anew by itself: another one can. */
    public static final int START_ANEW_ELSEWHERE = 75;

    /** Not a code to exit with: the application starts anew in this process. */
    static final int START_ANEW = -1;

    private static final int SIGNALS = 128;

    private ExitCode() {}

    /** A signal ended the process before everything was saved. */
    public static int ofSignal(int number) {
        return SIGNALS + number;
    }
}
