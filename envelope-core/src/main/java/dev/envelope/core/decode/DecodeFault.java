package dev.envelope.core.decode;

import dev.envelope.core.api.UnavailableException;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.ObjectStreamException;
import java.io.UTFDataFormatException;
import java.lang.reflect.Method;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.zip.DataFormatException;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Why bytes could not be decoded, judged by the exception and its causes alone: however long a
 * registry's outage lasts, it never counts against a message.
 */
public enum DecodeFault {
    /**
     * Something that the decoder calls is unavailable: a network error, a truncated response, a
     * time-out, an exception that Kafka calls retriable, an HTTP status of 401, 403, 429 or 5xx, or
     * no status from a registry's client.
     */
    OUTAGE,
    /** The bytes are not of the format: a parser or the deserializer itself has refused them. */
    BYTES,
    /**
     * The cause is unclear: an I/O error of another kind, another HTTP status, a class that is
     * missing.
     */
    UNCLEAR;

    private static final int DEEPEST_CAUSE = 20;

    /** Parsers that throw subclasses of {@code IOException} for bad bytes, by their packages. */
    private static final List<String> PARSERS =
            List.of(
                    "com.google.protobuf.",
                    "com.google.gson.",
                    "com.squareup.moshi.",
                    "io.protostuff.",
                    "org.apache.avro.",
                    "com.fasterxml.jackson.",
                    "tools.jackson.",
                    "org.apache.thrift.",
                    "org.msgpack.");

    /** Network libraries, by their packages: the end of their input is not the end of the bytes. */
    private static final List<String> NETWORK =
            List.of(
                    "jdk.internal.net.http.",
                    "java.net.",
                    "sun.net.",
                    "sun.nio.ch.",
                    "sun.security.ssl.",
                    "okhttp3.",
                    "org.apache.http.",
                    "org.apache.hc.",
                    "io.netty.",
                    "reactor.netty.");

    /** Clients of registries whose exceptions don't say why there was no response. */
    private static final List<String> CLIENTS = List.of("io.apicurio.registry.rest.client.");

    /** A library that reads memory for parsers, and sockets for clients. */
    private static final String READS_EITHER = "okio.";

    /** Methods by which exceptions of HTTP clients return the status of a response. */
    private static final List<String> STATUS =
            List.of("getStatus", "getStatusCode", "statusCode", "getHttpStatusCode", "status");

    /** Classifies an exception. */
    public static DecodeFault of(Throwable thrown) {
        DecodeFault found = BYTES;
        boolean isOfParser = false;
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < DEEPEST_CAUSE; depth++) {
            int status = httpStatus(at);
            DecodeFault ended = at instanceof EOFException ? ofEndOfInput(at) : UNCLEAR;
            boolean isUnanswered = status < 0 && isOf(CLIENTS, at);
            if (isOutage(at) || isOutage(status) || isUnanswered || ended == OUTAGE) {
                return OUTAGE;
            }
            isOfParser |= ended == BYTES || isOfParser(at);
            if (at instanceof IOException || at instanceof LinkageError || status > 0) {
                found = UNCLEAR;
            }
            at = at.getCause();
        }
        return isOfParser ? BYTES : found;
    }

    private static boolean isOutage(Throwable thrown) {
        return thrown instanceof RetriableException
                || thrown instanceof UnavailableException
                || thrown instanceof SocketException
                || thrown instanceof UnknownHostException
                || thrown instanceof HttpTimeoutException
                || thrown instanceof InterruptedIOException
                || thrown instanceof InterruptedException
                || thrown instanceof ClosedChannelException
                || thrown instanceof UnresolvedAddressException
                || thrown instanceof SSLException
                || thrown instanceof TimeoutException;
    }

    private static boolean isOutage(int httpStatus) {
        return httpStatus >= 500 || httpStatus == 401 || httpStatus == 403 || httpStatus == 429;
    }

    private static boolean isOfParser(Throwable thrown) {
        if (thrown instanceof CharacterCodingException
                || thrown instanceof CharConversionException
                || thrown instanceof UTFDataFormatException
                || thrown instanceof ObjectStreamException
                || thrown instanceof ZipException
                || thrown instanceof DataFormatException) {
            return true;
        }
        return isOf(PARSERS, thrown);
    }

    private static boolean isOf(List<String> packages, Throwable thrown) {
        for (Class<?> kind = thrown.getClass(); kind != null; kind = kind.getSuperclass()) {
            String name = kind.getName();
            if (packages.stream().anyMatch(name::startsWith)) {
                return true;
            }
        }
        return false;
    }

    /** Whose input has ended: that of the library nearest to where the exception was thrown. */
    private static DecodeFault ofEndOfInput(Throwable thrown) {
        DecodeFault found = BYTES;
        for (StackTraceElement frame : thrown.getStackTrace()) {
            String name = frame.getClassName();
            if (NETWORK.stream().anyMatch(name::startsWith)) {
                return OUTAGE;
            } else if (PARSERS.stream().anyMatch(name::startsWith)) {
                return BYTES;
            } else if (name.startsWith(READS_EITHER)) {
                found = UNCLEAR;
            }
        }
        return found;
    }

    /** The HTTP status that an exception has, or -1. */
    private static int httpStatus(Throwable thrown) {
        for (String name : STATUS) {
            if (call(thrown, name) instanceof Integer status && isStatus(status)) {
                return status;
            }
        }
        @Nullable Object error = call(thrown, "getError"); // Apicurio's client
        return error != null
                        && call(error, "getErrorCode") instanceof Integer status
                        && isStatus(status)
                ? status
                : -1;
    }

    private static boolean isStatus(int status) {
        return status >= 400 && status <= 599;
    }

    private static @Nullable Object call(Object thrown, String name) {
        try {
            Method method = thrown.getClass().getMethod(name);
            return method.invoke(thrown);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // no such method, or the call has failed
        }
    }
}
