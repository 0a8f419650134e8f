package dev.envelope.app.gateway;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway's certificate and key, from files in PEM, which are read again when they have
 * changed.
 *
 * <p>Threads: made on one thread, then {@link #look} is called by one at a time.
 */
final class Certificates {

    private static final Logger log = LoggerFactory.getLogger(Certificates.class);
    private static final String ENTRY = "gateway";
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /**
     * The files.
     *
     * @param clientAuthorities those who sign the certificates of callers, which each must show
     */
    record Pem(Path certificate, Path key, Optional<Path> clientAuthorities) {}

    /** Files that are no certificate and key. */
    static final class BadFileException extends Exception {

        private static final long serialVersionUID = 1L;

        BadFileException(Path file, String why) {
            super(file + " " + why);
        }
    }

    private final Pem files;
    private final SslContextFactory.Server tls = new SslContextFactory.Server();
    private List<byte[]> read;

    /**
     * Reads the files.
     *
     * @throws BadFileException if they are not what they should be
     */
    Certificates(Pem files) throws BadFileException {
        this.files = files;
        this.read = contents();
        set(tls);
    }

    SslContextFactory.Server tls() {
        return tls;
    }

    /** Takes new files; wrong ones are reported, and the former stay in use. */
    void look() {
        try {
            List<byte[]> now = contents();
            if (!isSame(now)) {
                read = now;
                tls.reload(
                        changed -> {
                            try {
                                set((SslContextFactory.Server) changed);
                            } catch (BadFileException e) {
                                throw new IllegalStateException(e.getMessage(), e);
                            }
                        });
                log.info("the gateway has taken a new certificate");
            }
        } catch (Exception e) { // as Jetty declares it
            log.warn("the gateway's former certificate stays: {}", e.getMessage());
        }
    }

    private boolean isSame(List<byte[]> now) {
        for (int i = 0; i < now.size(); i++) {
            if (!Arrays.equals(now.get(i), read.get(i))) {
                return false;
            }
        }
        return true;
    }

    private List<byte[]> contents() throws BadFileException {
        List<byte[]> contents = new ArrayList<>();
        contents.add(content(files.certificate));
        contents.add(content(files.key));
        if (files.clientAuthorities.isPresent()) {
            contents.add(content(files.clientAuthorities.get()));
        }
        return contents;
    }

    private static byte[] content(Path file) throws BadFileException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new BadFileException(file, "can't be read");
        }
    }

    private void set(SslContextFactory.Server target) throws BadFileException {
        try {
            KeyStore own = empty();
            char[] password = new char[0];
            PrivateKey key = key(files.key, read.get(1));
            Certificate[] chain =
                    certificates(files.certificate, read.get(0)).toArray(Certificate[]::new);
            if (!belongs(key, chain[0].getPublicKey())) {
                throw new BadFileException(
                        files.key,
                        "is not the key of the first certificate in " + files.certificate);
            }
            own.setKeyEntry(ENTRY, key, password, chain);
            target.setKeyStore(own);
            target.setKeyStorePassword("");
            if (files.clientAuthorities.isPresent()) {
                KeyStore trusted = empty();
                for (Certificate each : certificates(files.clientAuthorities.get(), read.get(2))) {
                    trusted.setCertificateEntry(ENTRY + trusted.size(), each);
                }
                target.setTrustStore(trusted);
                target.setNeedClientAuth(true);
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new BadFileException(files.certificate, "can't be used: " + e.getMessage());
        }
    }

    /** Whether what one of them signs is confirmed by the other. */
    private static boolean belongs(PrivateKey key, PublicKey certified)
            throws GeneralSecurityException {
        if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
            return false;
        }
        Signature signature = Signature.getInstance(SIGNATURES.get(key.getAlgorithm()));
        byte[] text = ENTRY.getBytes(StandardCharsets.US_ASCII);
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(text);
        try {
            return signature.verify(signed);
        } catch (SignatureException e) { // of another length
            return false;
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file, byte[] pem)
            throws BadFileException {
        try (InputStream in = new ByteArrayInputStream(pem)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new BadFileException(file, "has no certificate");
            }
            return found;
        } catch (GeneralSecurityException | IOException e) {
            throw new BadFileException(file, "has no certificate in PEM");
        }
    }

    private static PrivateKey key(Path file, byte[] pem) throws BadFileException {
        Matcher matcher = KEY.matcher(new String(pem, StandardCharsets.US_ASCII));
        if (!matcher.find()) {
            throw new BadFileException(
                    file,
                    "has no private key in PEM (BEGIN PRIVATE KEY; convert with openssl pkcs8"
                            + " -topk8 -nocrypt)");
        }
        byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(1));
        return ALGORITHMS.stream()
                .flatMap(algorithm -> key(encoded, algorithm).stream())
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadFileException(
                                        file, "has a private key that is none of " + ALGORITHMS));
    }

    /** The key, if it is of this kind. */
    private static Optional<PrivateKey> key(byte[] encoded, String algorithm) {
        try {
            return Optional.of(
                    KeyFactory.getInstance(algorithm)
                            .generatePrivate(new PKCS8EncodedKeySpec(encoded)));
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }
}
