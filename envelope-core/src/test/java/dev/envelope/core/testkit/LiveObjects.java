package dev.envelope.core.testkit;

import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Counts the objects on the heap that something still refers to: those that a garbage collection
 * has to follow and to copy.
 */
public final class LiveObjects {

    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+(\\d+)\\s+(\\d+)");

    private LiveObjects() {}

    /** How many there are now. */
    public static long count() {
        try {
            Object histogram =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "gcClassHistogram",
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            Matcher total = TOTAL.matcher((String) histogram);
            if (!total.find()) {
                throw new AssertionError("no sum in " + histogram);
            }
            return Long.parseLong(total.group(1));
        } catch (JMException e) {
            throw new AssertionError("this JVM does not count its objects", e);
        }
    }
}
