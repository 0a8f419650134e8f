package dev.envelope.app.ops.http;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Listener;
import dev.envelope.app.http.Refused;
import dev.envelope.app.http.Tokens;
import dev.envelope.app.ops.RateLimit;
import java.util.Collection;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Decides who may do what. Callers on this machine may read without the token; a change needs it,
 * and so does every request from another machine, except probes and the empty page.
 *
 * <p>Threads: thread-safe (its parts are).
 */
final class Access {

    /** Open to all callers: orchestrators need them, and they reveal little. */
    private static final Set<String> PROBES = Set.of("/startupz", "/livez", "/readyz");

    /** The files of the page, without data; the page fetches its data with the token. */
    private static final String PAGE = "/page/";

    private static final String HOW_TO_GIVE_IT =
            "envelope takes it from the file of -c, or from ENVELOPE_HTTP_TOKEN; the page has a field"
                    + " for it; else send the header Authorization: Bearer";

    /** Requests need no body: their parameters are in the address. */
    private static final long MOST_BODY_BYTES = 1_024;

    /** The headers of every answer. */
    static final HttpFields HEADERS =
            HttpFields.build(Listener.HEADERS)
                    .put(OperationsServer.MARK, "1")
                    .put(
                            "Content-Security-Policy",
                            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                                    + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                                    + " frame-ancestors 'none'")
                    .put("Cross-Origin-Opener-Policy", "same-origin")
                    .asImmutable();

    /** The limit of all callers without the token together; a page sends one per second. */
    private static final int MOST_A_SECOND = 50;

    private final HostPort address;
    private final Tokens tokens;
    private final RateLimit rate = new RateLimit(MOST_A_SECOND, System::nanoTime);

    Access(HostPort address, Collection<Secret> tokens) {
        this.address = address;
        this.tokens = new Tokens(tokens);
    }

    /** Accepts these tokens, and no others. */
    void admit(Collection<Secret> good) {
        tokens.admit(good);
    }

    static boolean isProbe(String path) {
        return PROBES.contains(path);
    }

    /**
     * Checks a request.
     *
     * @param headers of the answer
     * @throws Refused if it is not allowed
     */
    void guard(Call call, HttpFields.Mutable headers) {
        String path = call.path();
        if (!isProbe(path) && !tokens.areWith(call) && !rate.admits()) {
            throw new Refused(429, "more than " + MOST_A_SECOND + " requests a second");
        }
        Listener.guardHost(address, call);
        if (call.bodyBytes() > MOST_BODY_BYTES || call.has("Transfer-Encoding")) {
            headers.put(HttpHeader.CONNECTION, "close"); // the body is not read
            throw new Refused(413, "parameters belong in the address, not in a body");
        }
        boolean reads = call.method().equals("GET") || call.method().equals("HEAD");
        if (!reads && !path.startsWith("/api/")) {
            headers.put(HttpHeader.ALLOW, "GET, HEAD");
            throw new Refused(405, "only GET");
        } else if (!reads && tokens.isEmpty()) {
            throw new Refused(403, "set http.token: without one nothing can be changed over HTTP");
        } else if ((!reads || !isOpen(path)) && !tokens.areWith(call)) {
            headers.put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
            String why = call.has("Authorization") ? "that is not" : "wants";
            throw new Refused(401, why + " http.token: " + HOW_TO_GIVE_IT);
        }
    }

    private boolean isOpen(String path) {
        return address.isLoopback() || isProbe(path) || path.equals("/") || path.startsWith(PAGE);
    }
}
