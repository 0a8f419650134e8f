package dev.envelope.integration.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/**
 * A connection to a gateway on this machine that costs as little as possible: one request after the
 * other.
 *
 * <p>Threads: one thread.
 */
final class PlainConnection implements AutoCloseable {

    private final int port;
    private final Socket socket;
    private final InputStream in;

    PlainConnection(int port) throws IOException {
        this.port = port;
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** An answer. */
    record Answer(int status, String body) {}

    Answer get(String path) throws IOException {
        return send("GET " + path, "", "");
    }

    /**
     * Posts a body in JSON.
     *
     * @param headers each with a line break behind it
     */
    Answer post(String path, String headers, String body) throws IOException {
        String more = headers + "Content-Type: application/json\r\n";
        return send("POST " + path, more + "Content-Length: " + body.length() + "\r\n", body);
    }

    private Answer send(String request, String headers, String body) throws IOException {
        String text = request + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n" + headers + "\r\n";
        socket.getOutputStream().write((text + body).getBytes(UTF_8));
        String status = line();
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).trim());
            }
        }
        return new Answer(
                Integer.parseInt(status.substring(9, 12)),
                new String(in.readNBytes(length), UTF_8));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the connection was closed");
            } else if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
