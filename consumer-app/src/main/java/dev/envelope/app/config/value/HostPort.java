package dev.envelope.app.config.value;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A host with a port; the host of an IPv6 address is without its brackets. */
public record HostPort(String host, int port) {

    private static final Pattern SYNTAX =
            Pattern.compile("(?:\\[([0-9a-fA-F:.%]+)]|([A-Za-z0-9._%-]+)):(\\d{1,5})");
    private static final Pattern LOOPBACK_V4 = Pattern.compile("127(\\.\\d{1,3}){3}");
    private static final int LAST_PORT = 65_535;

    /** The address that a text names, such as {@code broker-1:9092} or {@code [::1]:9092}. */
    static HostPort parse(String text) throws BadValueException {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new BadValueException(
                    text.contains("://")
                            ? "is not host:port: leave out what stands before ://"
                            : "is not host:port, such as localhost:9092");
        }
        int port = Integer.parseInt(matcher.group(3));
        if (port > LAST_PORT) {
            throw new BadValueException("has a port above " + LAST_PORT);
        }
        String v6 = matcher.group(1);
        return new HostPort(v6 == null ? matcher.group(2) : v6, port);
    }

    /** Whether it means all addresses of this machine. */
    public boolean isWildcard() {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    /** Whether the host's name means this machine. */
    public boolean isLoopback() {
        return isLoopback(host);
    }

    /** Whether a host's name means this machine; no name is looked up. */
    static boolean isLoopback(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals("localhost")
                || name.equals("::1")
                || name.equals("0:0:0:0:0:0:0:1")
                || LOOPBACK_V4.matcher(name).matches();
    }

    /** The text form, in brackets where the host has colons. */
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
