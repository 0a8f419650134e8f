package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.InvariantViolation;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * An event id in 128 bits: the first half of the SHA-256 of its bytes.
 *
 * <p>The row holds a hash because ids have no maximum length. It is cryptographic because producers
 * make the ids, and a crafted collision would drop a message in silence. Its quarter of a
 * microsecond is spent only where ids are configured. SHA-256 comes with every Java and can be
 * recomputed in psql: {@code substr(sha256(convert_to('the id', 'UTF8')), 1, 16)}.
 */
public record IdHash(long high, long low) {

    /** The size of a hash. */
    public static final int BYTES = 16;

    /** The hash of an id that is unique by itself. */
    public static IdHash of(byte[] id) {
        return first128(sha256().digest(id));
    }

    /**
     * The hash of an id that is unique only within its scope. The length of the scope is hashed,
     * too, so that {@code ("a", "bc")} is not {@code ("ab", "c")}.
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
