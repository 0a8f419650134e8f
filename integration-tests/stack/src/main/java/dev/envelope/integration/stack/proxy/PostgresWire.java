package dev.envelope.integration.stack.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Predicate;

/**
 * The protocol of Postgres, version 3, without TLS: a request is described by the statements that
 * it executes, whether they were prepared before or not.
 *
 * <p>A request ends with Sync or is a simple query, which is also where a transaction of one
 * statement commits; its reply ends with ReadyForQuery.
 *
 * <p>Threads: immutable.
 */
public final class PostgresWire implements Wire {

    private static final int SSL_REQUEST = 80_877_103;
    private static final int GSS_REQUEST = 80_877_104;

    @Override
    public Dialogue open() {
        return new Reader();
    }

    /**
     * Requests that make something durable: of several statements a COMMIT, or one statement alone
     * that writes.
     *
     * @param written what its statement holds, such as the name of a table; of a COMMIT nothing
     *     more is known
     */
    public static Predicate<String> commits(String written) {
        return request ->
                request.equals("COMMIT")
                        || (request.contains(written)
                                && !request.startsWith(OPEN)
                                && (request.contains("INSERT ") || request.contains("UPDATE ")));
    }

    /** What stands before the statements of a transaction that stays open behind them. */
    static final String OPEN = "BEGIN; ";

    private static final Frames.Layout UNTYPED = new Frames.Layout(0, 0);
    private static final Frames.Layout TYPED = new Frames.Layout(1, 1); // behind a letter

    /**
     * What both sides of one session have said.
     *
     * <p>Threads: the client's part by one thread, the server's by another. The server's answer to
     * the wish for TLS is one byte without a frame, and comes before anything else.
     */
    private static final class Reader implements Dialogue {

        private final Frames sent = new Frames();
        private final Frames received = new Frames();
        private final Map<String, String> statements = new HashMap<>();
        private final Map<String, String> portals = new HashMap<>();
        private boolean started;
        private StringJoiner executed = new StringJoiner("; ");
        private boolean open;
        private boolean framed;
        private int ready;

        @Override
        public List<String> requests(byte[] piece, int length) {
            List<String> complete = new ArrayList<>();
            sent.read(
                    piece,
                    length,
                    () -> started ? TYPED : UNTYPED,
                    frame -> {
                        if (started) {
                            read(frame, complete);
                        } else {
                            int code = frame.getInt(4);
                            started = code != SSL_REQUEST && code != GSS_REQUEST;
                        }
                    });
            return complete;
        }

        private void read(ByteBuffer frame, List<String> complete) {
            char type = (char) frame.get(0);
            frame.position(5);
            switch (type) {
                case 'P' -> {
                    String name = text(frame);
                    statements.put(name, text(frame));
                }
                case 'B' -> {
                    String portal = text(frame);
                    portals.put(portal, statements.getOrDefault(text(frame), ""));
                }
                case 'E' -> executed.add(portals.getOrDefault(text(frame), ""));
                case 'Q' -> complete.add(described(text(frame)));
                case 'S' -> {
                    complete.add(described(executed.toString()));
                    executed = new StringJoiner("; ");
                }
                default -> {
                    // Says nothing about what is executed.
                }
            }
        }

        private String described(String statements) {
            boolean wasOpen = open;
            open = statements.startsWith("BEGIN") || (open && !isEnd(statements));
            return wasOpen && open ? OPEN + statements : statements;
        }

        private static boolean isEnd(String statements) {
            return statements.equals("COMMIT") || statements.equals("ROLLBACK");
        }

        @Override
        public int replies(byte[] piece, int length) {
            ready = 0;
            // Before the first frame the server may refuse TLS and GSS, with one letter each.
            if (!framed && length == 1) {
                return 0;
            }
            framed = true;
            received.read(
                    piece,
                    length,
                    () -> TYPED,
                    frame -> {
                        if (frame.get(0) == 'Z') {
                            ready++;
                        }
                    });
            return ready;
        }

        private static String text(ByteBuffer frame) {
            int begin = frame.position();
            while (frame.get() != 0) {
                // looks for the end
            }
            byte[] bytes = new byte[frame.position() - begin - 1];
            frame.get(begin, bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
