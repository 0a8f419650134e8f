package dev.envelope.integration.bench;

import dev.envelope.integration.stack.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * CPU time of a process with all that it has started, the ended ones included: a Postgres session
 * is a process that is gone when its client is.
 *
 * <p>Threads: immutable.
 */
final class CpuTime {

    private static final double TICKS_PER_SECOND = 100; // what Linux tells programs, on any machine
    private static final int UTIME = 11; // counted from behind the name, which may hold blanks
    private static final int LAST = UTIME + 3; // stime, and both again of children that have ended

    private CpuTime() {}

    /** In seconds so far; 0 where the system has no {@code /proc}. */
    static double of(ChildProcess process) {
        return ProcessHandle.of(process.pid()).map(CpuTime::ofTree).orElse(0.0);
    }

    private static double ofTree(ProcessHandle root) {
        try (Stream<ProcessHandle> descendants = root.descendants()) {
            return Stream.concat(Stream.of(root), descendants)
                    .mapToDouble(member -> ofOne(member.pid()))
                    .sum();
        }
    }

    private static double ofOne(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = UTIME; i <= LAST; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException gone) {
            return 0;
        }
    }
}
