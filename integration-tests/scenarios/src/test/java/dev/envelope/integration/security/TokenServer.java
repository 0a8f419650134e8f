package dev.envelope.integration.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;

/**
 * Gives signed tokens to one client that knows its secret, as identity services do (RFC 6749,
 * client credentials).
 *
 * <p>Threads: immutable; its server has one thread.
 */
final class TokenServer implements AutoCloseable {

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final String HEADER = "{\"alg\":\"RS256\",\"kid\":\"1\",\"typ\":\"JWT\"}";

    /** Whom it knows. */
    static final String CLIENT = "invoices";

    private static final String SECRET = "invoices-secret";

    private final KeyPair keys;
    private final HttpServer server;

    TokenServer() {
        try {
            keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/token", this::answer);
        server.start();
    }

    String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** The key that tokens are checked with, for the broker. */
    String jwks() {
        RSAPublicKey key = (RSAPublicKey) keys.getPublic();
        return "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"1\",\"use\":\"sig\",\"n\":\"%s\",\"e\":\"%s\"}]}"
                .formatted(number(key.getModulus()), number(key.getPublicExponent()));
    }

    /** Without the byte that only holds the sign. */
    private static String number(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return BASE64.encodeToString(
                bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String login = CLIENT + ":" + SECRET;
            String wanted =
                    "Basic "
                            + Base64.getEncoder()
                                    .encodeToString(login.getBytes(StandardCharsets.UTF_8));
            boolean isKnown = wanted.equals(exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] answer =
                    (isKnown
                                    ? "{\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"expires_in\":300}"
                                            .formatted(token())
                                    : "{\"error\":\"invalid_client\"}")
                            .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(isKnown ? 200 : 401, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private String token() {
        long now = Instant.now().getEpochSecond();
        String claims =
                "{\"sub\":\"%s\",\"scope\":\"kafka\",\"iat\":%d,\"exp\":%d}"
                        .formatted(CLIENT, now, now + 300);
        String signed = encoded(HEADER) + "." + encoded(claims);
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String encoded(String json) {
        return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
