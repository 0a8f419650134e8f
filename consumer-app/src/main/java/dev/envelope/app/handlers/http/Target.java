package dev.envelope.app.handlers.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;

/**
 * Where requests go, and what they have in common.
 *
 * @param contentType of values whose record does not name one
 * @param atOnce how many requests there may be at a time
 * @param maxRate how many there may be in a second; 0 for no limit
 */
public record Target(
        URI url,
        Duration timeout,
        String contentType,
        Map<String, String> headers,
        int atOnce,
        int maxRate) {

    /** What a server should allow on a connection; the client does not wait for its turn. */
    static final int LEAST_STREAMS = 100;

    public Target {
        headers = Map.copyOf(headers);
    }

    /** One connection is enough only as long as servers let that have so many requests. */
    HttpClient.Version version() {
        return url.getScheme().equals("https") && atOnce <= LEAST_STREAMS
                ? HttpClient.Version.HTTP_2
                : HttpClient.Version.HTTP_1_1;
    }

    /** Whom the limit is for. */
    String host() {
        return url.getScheme() + "://" + url.getAuthority();
    }

    /** Without what may be a secret. */
    @Override
    public String toString() {
        return host() + url.getPath();
    }
}
