package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.InvariantViolation;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * An event id in 128 bits: the first half of the SHA-256 of its bytes.
 *
 * <p>A hash stands in the row, because ids have no bound on their length. It is a cryptographic
 * one, because ids are made by producers and a crafted collision would drop a message in silence;
 * its quarter of a microsecond is paid only where ids are configured. SHA-256 comes with every
 * Java, and can be recomputed in psql: {@code substr(sha256(convert_to('the id', 'UTF8')), 1, 16)}.
 */
public record IdHash(long high, long low) {

    /** The bytes of a hash. */
    public static final int BYTES = 16;

    /** The hash of an id that is one piece. */
    public static IdHash of(byte[] id) {
        return first128(sha256().digest(id));
    }

    /**
     * The hash of an id that only its scope makes unique. The length of the scope is hashed, too,
     * so that {@code ("a", "bc")} is not {@code ("ab", "c")}.
     */
    public static IdHash of(byte[] scope, byte[] id) {
        MessageDigest digest = sha256();
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(scope.length).array());
        digest.update(scope);
        return first128(digest.digest(id));
    }

    private static IdHash first128(byte[] digest) {
        ByteBuffer bytes = ByteBuffer.wrap(digest);
        return new IdHash(bytes.getLong(), bytes.getLong());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new InvariantViolation("every Java has SHA-256", e);
        }
    }
}
