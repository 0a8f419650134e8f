package dev.envelope.app.ops.http;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name under which a caller asks: a web page that is led to loopback by a name of its own is
 * told by it.
 *
 * <p>Threads: stateless.
 */
final class HostHeader {

    private static final Pattern WITH_PORT = Pattern.compile("(\\[[^]]*]|[^:]*)(?::\\d{1,5})?");
    private static final Set<String> NAMES = Set.of("localhost", "[::1]");
    private static final Pattern V4 = Pattern.compile("127(\\.\\d{1,3}){3}");

    private HostHeader() {}

    static boolean isLoopback(@Nullable String header) {
        if (header == null) {
            return false;
        }
        Matcher matcher = WITH_PORT.matcher(header);
        if (!matcher.matches()) {
            return false;
        }
        String host = matcher.group(1);
        return NAMES.contains(host) || V4.matcher(host).matches();
    }
}
