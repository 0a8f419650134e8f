package dev.envelope.app.http;

import dev.envelope.app.config.value.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.List;

/**
 * The tokens that are accepted. How long a comparison takes tells nothing about them.
 *
 * <p>Threads: thread-safe (volatile).
 */
public final class Tokens {

    private static final String BEARER = "Bearer ";

    private volatile List<byte[]> tokens = List.of();

    public Tokens(Collection<Secret> tokens) {
        admit(tokens);
    }

    /** Accepts these tokens, and no others. */
    public void admit(Collection<Secret> good) {
        tokens = good.stream().map(it -> it.reveal().getBytes(StandardCharsets.UTF_8)).toList();
    }

    public boolean isEmpty() {
        return tokens.isEmpty();
    }

    /** Whether a request has one of them. */
    public boolean areWith(Call call) {
        String header = call.headerOr("Authorization", "");
        if (!header.startsWith(BEARER)) {
            return false;
        }
        byte[] offered = header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8);
        boolean isGood = false;
        for (byte[] token : tokens) {
            isGood |= MessageDigest.isEqual(offered, token);
        }
        return isGood;
    }
}
