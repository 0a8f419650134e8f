package dev.envelope.app.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of this program, as its build recorded it. */
public final class Version {

    private static final String FILE = "version.properties";

    private Version() {}

    /** Such as {@code 0.1.0}. */
    public static String current() {
        try (InputStream in = Version.class.getResourceAsStream(FILE)) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
