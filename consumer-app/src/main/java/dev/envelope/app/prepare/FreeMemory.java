package dev.envelope.app.prepare;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures how much memory is free for another process. */
final class FreeMemory {

    private static final Pattern ON_LINUX =
            Pattern.compile("MemTotal: +(\\d+) kB.*MemAvailable: +(\\d+) kB.*", Pattern.DOTALL);

    private FreeMemory() {}

    /**
     * Of the container, if it has less memory than the machine, else of the machine; 0 if unknown.
     */
    static long bytes() {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean ours)) {
            return 0;
        }
        Matcher machine = ON_LINUX.matcher(meminfo());
        // The bean's free memory excludes the page cache, which the machine frees on demand.
        return machine.matches() && kilobytes(machine.group(1)) <= ours.getTotalMemorySize()
                ? kilobytes(machine.group(2))
                : ours.getFreeMemorySize();
    }

    private static long kilobytes(String count) {
        return Long.parseLong(count) << 10;
    }

    private static String meminfo() {
        try {
            return Files.readString(Path.of("/proc/meminfo"));
        } catch (IOException e) { // no Linux
            return "";
        }
    }
}
