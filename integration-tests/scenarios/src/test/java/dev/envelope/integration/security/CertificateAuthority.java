package dev.envelope.integration.security;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/**
 * Signs certificates for servers, as PEM. It writes the few structures of X.509 that are needed by
 * hand, since the Java library can only read them.
 *
 * <p>Threads: immutable.
 */
final class CertificateAuthority {

    private static final X500Principal ISSUER = new X500Principal("CN=envelope test authority");
    private static final byte[] ECDSA_WITH_SHA256 =
            sequence(new byte[] {6, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2});
    private static final byte[] BASIC_CONSTRAINTS = {6, 3, 0x55, 0x1d, 0x13};
    private static final byte[] SUBJECT_ALT_NAME = {6, 3, 0x55, 0x1d, 0x11};
    private static final byte[] TRUE = {1, 1, (byte) 0xff};
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    /** A certificate with its key, as PEM. */
    record Identity(String key, String certificate) {}

    private final KeyPair keys = newKeys();
    private final String certificate;

    CertificateAuthority() {
        byte[] isAuthority =
                sequence(BASIC_CONSTRAINTS, TRUE, tagged(4, sequence(TRUE))); // critical
        certificate = sign(ISSUER, keys, Instant.now().plus(Duration.ofDays(1)), isAuthority);
    }

    /** What clients trust. */
    String certificate() {
        return certificate;
    }

    /** A server at localhost. */
    Identity localhost() {
        return server("localhost", Instant.now().plus(Duration.ofDays(1)));
    }

    Identity expiredLocalhost() {
        return server("localhost", Instant.now().minus(Duration.ofHours(1)));
    }

    Identity otherHost() {
        return server("db.example.com", Instant.now().plus(Duration.ofDays(1)));
    }

    private Identity server(String host, Instant until) {
        KeyPair own = newKeys();
        byte[] dns = tagged(0x82, host.getBytes(StandardCharsets.US_ASCII));
        byte[] names =
                host.equals("localhost")
                        ? sequence(dns, tagged(0x87, InetAddress.getLoopbackAddress().getAddress()))
                        : sequence(dns);
        byte[] extension = sequence(SUBJECT_ALT_NAME, tagged(4, names));
        String signed = sign(new X500Principal("CN=" + host), own, until, extension);
        return new Identity(pem("PRIVATE KEY", own.getPrivate().getEncoded()), signed);
    }

    private String sign(X500Principal subject, KeyPair of, Instant until, byte[] extension) {
        byte[] body =
                sequence(
                        tagged(0xa0, new byte[] {2, 1, 2}), // version 3
                        tagged(2, BigInteger.valueOf(until.toEpochMilli()).toByteArray()),
                        ECDSA_WITH_SHA256,
                        ISSUER.getEncoded(),
                        sequence(time(until.minus(Duration.ofDays(3))), time(until)),
                        subject.getEncoded(),
                        of.getPublic().getEncoded(),
                        tagged(0xa3, sequence(extension)));
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(body);
            byte[] bits = signature.sign();
            byte[] padded = new byte[bits.length + 1]; // no bit of the last byte is unused
            System.arraycopy(bits, 0, padded, 1, bits.length);
            return pem("CERTIFICATE", sequence(body, ECDSA_WITH_SHA256, tagged(3, padded)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] time(Instant at) {
        return tagged(0x18, TIME.format(at).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] sequence(byte[]... parts) {
        return tagged(0x30, parts);
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        int length = List.of(parts).stream().mapToInt(part -> part.length).sum();
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length > 255) {
            out.write(0x82);
            out.write(length >> 8);
        } else if (length > 127) {
            out.write(0x81);
        }
        out.write(length);
        Arrays.stream(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static String pem(String what, byte[] der) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
    }
}
