package dev.envelope.integration.oracle;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a key: what its events have added up to, and a hash chain over them in their order.
 *
 * <p>It is changed in place, as a handler of a user might do it: a state that was left half changed
 * must not be saved.
 *
 * <p>Threads: actor, one at a time.
 */
public final class Ledger {

    private static final int ODD_KEPT = 5;

    private long count;
    private long sum;
    private long lastSeq;
    private long aborted;
    private String chain = "";
    private final List<String> odd = new ArrayList<>(0);

    // Of the messages since the last save: what the journal records.
    private String by = "";
    private final StringBuilder applied = new StringBuilder();

    /** With the first event of a key. */
    public Ledger() {}

    Ledger(Document document) {
        count = document.count();
        sum = document.sum();
        lastSeq = document.lastSeq();
        aborted = document.aborted();
        chain = document.chain();
        odd.addAll(document.odd());
    }

    /** The part that a throw may leave alone. */
    void begin() {
        count++;
    }

    /** Takes an event in, or a tombstone, which has no sequence number. */
    void complete(@Nullable Event event, String id) {
        if (event == null) {
            chain = link(chain + "|tombstone|" + id);
            return;
        }
        sum += event.delta();
        chain = link(chain + '|' + event.seq() + '|' + id + '|' + event.delta());
        if (event.aborted()) {
            aborted++;
        }
        if (event.seq() != lastSeq + 1) {
            note("seq " + event.seq() + " after " + lastSeq);
        }
        lastSeq = event.seq();
    }

    /** Keeps something for the oracle's report. */
    void note(String what) {
        if (odd.size() < ODD_KEPT) {
            odd.add(what);
        }
    }

    void recordPlace(int partition, long offset, String who) {
        by = who;
        applied.append(applied.length() == 0 ? "" : " ")
                .append(partition)
                .append(':')
                .append(offset);
    }

    /** As it is saved; what the journal is told is forgotten here. */
    Document toDocument() {
        Document document =
                new Document(
                        count,
                        sum,
                        lastSeq,
                        aborted,
                        chain,
                        List.copyOf(odd),
                        by,
                        applied.toString());
        applied.setLength(0);
        return document;
    }

    public long count() {
        return count;
    }

    long aborted() {
        return aborted;
    }

    List<String> odd() {
        return odd;
    }

    /** Whether the same events in the same order made both. */
    boolean equalsInContent(Ledger other) {
        return content().equals(other.content());
    }

    /** Without what was only for the journal. */
    String content() {
        return count + " events, sum " + sum + ", last " + lastSeq + ", chain " + chain;
    }

    private static String link(String text) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return content() + (odd.isEmpty() ? "" : " " + odd);
    }

    /**
     * The JSON of a ledger.
     *
     * @param by the process and the assignment epoch that added what is in {@code applied}
     * @param applied the places of the messages that the last save added
     */
    public record Document(
            long count,
            long sum,
            long lastSeq,
            long aborted,
            String chain,
            List<String> odd,
            String by,
            String applied) {}
}
