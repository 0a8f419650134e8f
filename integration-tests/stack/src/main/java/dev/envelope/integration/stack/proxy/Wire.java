package dev.envelope.integration.stack.proxy;

import java.util.List;

/** What the bytes of a connection mean, as far as a fault has to know. */
public interface Wire {

    /** Bytes and nothing else: no request is ever recognised in them. */
    Wire OPAQUE =
            () ->
                    new Dialogue() {
                        @Override
                        public List<String> requests(byte[] sent, int length) {
                            return List.of();
                        }

                        @Override
                        public int replies(byte[] received, int length) {
                            return 0;
                        }
                    };

    /** For a new connection. */
    Dialogue open();

    /**
     * Reads along on one connection, from its first byte.
     *
     * <p>Threads: each method is called by one thread; there is nothing that both share.
     */
    interface Dialogue {

        /** The requests that are complete with these bytes of the client, described, in order. */
        List<String> requests(byte[] sent, int length);

        /** How many replies are complete with these bytes of the server. */
        int replies(byte[] received, int length);
    }
}
