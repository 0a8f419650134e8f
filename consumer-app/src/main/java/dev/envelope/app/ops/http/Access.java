package dev.envelope.app.ops.http;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.RateLimit;
import dev.envelope.app.ops.api.Problem;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what. Reading is open to this machine; whatever changes something wants the token, and
 * so does everything but the probes for callers from elsewhere.
 *
 * <p>Threads: thread-safe (the tokens are volatile; the rate has its own lock).
 */
final class Access {

    /** Asked for by those who run the process, and telling nobody anything else. */
    private static final Set<String> PROBES = Set.of("/startupz", "/livez", "/readyz");

    /** The page without what it shows: it asks for that with the token. */
    private static final String PAGE = "/page/";

    private static final String BEARER = "Bearer ";

    private static final String HOW_TO_GIVE_IT =
            "envelope takes it from the file of -c, or from ENVELOPE_HTTP_TOKEN; the page has a field"
                    + " for it; else send the header Authorization: Bearer";

    /** Whatever is asked for stands in its address. */
    private static final long MOST_BODY_BYTES = 1_024;

    private static final Map<String, String> HEADERS =
            Map.of(
                    OperationsServer.MARK,
                    "1",
                    "Cache-Control",
                    "no-store",
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                            + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                            + " frame-ancestors 'none'",
                    "Cross-Origin-Resource-Policy",
                    "same-origin",
                    "Cross-Origin-Opener-Policy",
                    "same-origin",
                    "Referrer-Policy",
                    "no-referrer",
                    "X-Content-Type-Options",
                    "nosniff",
                    "X-Frame-Options",
                    "DENY");

    /** Of all callers without the token together; a page asks once a second or less. */
    private static final int MOST_A_SECOND = 50;

    private final boolean isLoopback;
    private volatile List<byte[]> tokens = List.of();
    private final RateLimit rate = new RateLimit(MOST_A_SECOND, System::nanoTime);

    Access(HostPort address, Collection<Secret> tokens) {
        this.isLoopback = address.isLoopback();
        admit(tokens);
    }

    /** From now on these tokens are good, and no others. */
    void admit(Collection<Secret> good) {
        tokens = good.stream().map(it -> it.reveal().getBytes(StandardCharsets.UTF_8)).toList();
    }

    static boolean isProbe(String path) {
        return PROBES.contains(path);
    }

    /** Lets a request pass, or answers it. */
    void guard(Context context) {
        HEADERS.forEach(context::header);
        if (!isProbe(context.path()) && !hasToken(context) && !rate.admits()) {
            context.header("Retry-After", "1");
            refuse(context, 429, "more than " + MOST_A_SECOND + " requests a second");
            return;
        }
        if (isLoopback && !HostHeader.isLoopback(context.header("Host"))) {
            refuse(context, 421, "only asked for as localhost");
            return;
        }
        if (context.req().getContentLengthLong() > MOST_BODY_BYTES
                || context.header("Transfer-Encoding") != null) {
            context.header("Connection", "close"); // nobody reads it
            refuse(context, 413, "what is asked for stands in the address, not in a body");
            return;
        }
        HandlerType method = context.method();
        boolean reads = method.equals(HandlerType.GET) || method.equals(HandlerType.HEAD);
        if (!reads && !context.path().startsWith("/api/")) {
            context.header("Allow", "GET, HEAD");
            refuse(context, 405, "only GET");
        } else if (!reads && tokens.isEmpty()) {
            refuse(context, 403, "set http.token: without one nothing can be changed over HTTP");
        } else if ((!reads || !isOpen(context.path())) && !hasToken(context)) {
            context.header("WWW-Authenticate", "Bearer");
            refuse(
                    context,
                    401,
                    context.header("Authorization") == null
                            ? "wants http.token: " + HOW_TO_GIVE_IT
                            : "that is not http.token: " + HOW_TO_GIVE_IT);
        }
    }

    private boolean isOpen(String path) {
        return isLoopback || PROBES.contains(path) || path.equals("/") || path.startsWith(PAGE);
    }

    private boolean hasToken(Context context) {
        @Nullable String header = context.header("Authorization");
        if (header == null || !header.startsWith(BEARER)) {
            return false;
        }
        byte[] offered = header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8);
        boolean isGood = false;
        for (byte[] token : tokens) {
            isGood |= MessageDigest.isEqual(offered, token);
        }
        return isGood;
    }

    private static void refuse(Context context, int status, String why) {
        Problem.answer(context, status, why);
        context.skipRemainingHandlers();
    }
}
