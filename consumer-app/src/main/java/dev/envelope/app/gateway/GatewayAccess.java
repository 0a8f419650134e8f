package dev.envelope.app.gateway;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Listener;
import dev.envelope.app.http.Refused;
import dev.envelope.app.http.Tokens;
import dev.envelope.app.ops.RateLimit;
import java.util.Collection;

/**
 * Decides who may call. All callers need the token, if there is one. Pages in a browser may not
 * call: one from elsewhere could send commands in the name of whoever looks at it.
 *
 * <p>Threads: thread-safe (its parts are).
 */
final class GatewayAccess {

    /** The limit of all callers with a wrong token together. */
    private static final int MOST_A_SECOND = 50;

    private final HostPort address;
    private final Tokens tokens;
    private final RateLimit rate = new RateLimit(MOST_A_SECOND, System::nanoTime);

    GatewayAccess(HostPort address, Collection<Secret> tokens) {
        this.address = address;
        this.tokens = new Tokens(tokens);
    }

    /**
     * Accepts these tokens, and no others. If there are none, those of before stay: what would
     * protect the listener instead needs a restart.
     */
    void admit(Collection<Secret> good) {
        if (!good.isEmpty()) {
            tokens.admit(good);
        }
    }

    /**
     * Checks a request.
     *
     * @throws Refused if it is not allowed
     */
    void guard(Exchange exchange, Call call) {
        Listener.guardHost(address, call);
        if (!tokens.isEmpty()) {
            guardToken(exchange, call);
        } else if (call.has("Origin")) {
            throw new Refused(403, "a page in a browser needs a token: set gateway.token");
        }
    }

    private void guardToken(Exchange exchange, Call call) {
        if (tokens.areWith(call)) {
            return;
        } else if (!rate.admits()) {
            throw new Refused(429, "more than " + MOST_A_SECOND + " wrong tokens a second");
        }
        exchange.put("WWW-Authenticate", "Bearer");
        String why = call.has("Authorization") ? "that is not" : "wants";
        throw new Refused(401, why + " gateway.token: send Authorization: Bearer and the token");
    }
}
