package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The state that the simulation keeps per key: which messages were applied to it, in order. It can
 * be changed in place, so that a fold that throws halfway leaves a wrong object behind.
 *
 * <p>Threads: actor, one at a time.
 */
final class Trace {

    private static final Pattern BETWEEN = Pattern.compile("\",\"");

    private static final int NEVER = -1;
    private static final String SINCE = "since=";

    /**
     * A JSON array of the places of the messages that were applied; behind them since when a new
     * version of the handler has done so, if it has.
     */
    static final StateCodec<Trace> CODEC =
            new StateCodec<>() {
                @Override
                public byte[] encode(Trace state) {
                    String places = String.join("\",\"", state.places);
                    String since = state.isMarked() ? "\",\"" + SINCE + state.since : "";
                    return ("[\"" + places + since + "\"]").getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public Trace decode(byte[] json) {
                    String text = new String(json, StandardCharsets.UTF_8);
                    String inner = text.substring(2, text.length() - 2);
                    List<String> all = new ArrayList<>(Arrays.asList(BETWEEN.split(inner, -1)));
                    Trace trace = new Trace(all);
                    String last = all.get(all.size() - 1);
                    if (last.startsWith(SINCE)) {
                        all.remove(all.size() - 1);
                        trace.since = Integer.parseInt(last.substring(SINCE.length()));
                    }
                    return trace;
                }
            };

    /** Values are text that begins with {@code v}. */
    static final ValueFormat<String> FORMAT =
            (value, message) -> {
                if (value.length == 0 || value[0] != 'v') {
                    throw new MalformedException("no v at the beginning");
                }
                return new String(value, StandardCharsets.UTF_8);
            };

    private final List<String> places;
    private int since = NEVER;

    Trace(List<String> places) {
        this.places = places;
    }

    void add(String place) {
        places.add(place);
    }

    List<String> places() {
        return places;
    }

    /** Whether a new version of the handler has had it. */
    boolean isMarked() {
        return since != NEVER;
    }

    /**
     * How many messages had been applied before the new version did; below zero if it never has.
     */
    int since() {
        return since;
    }

    /** A new version of the handler has it from now on. */
    void mark() {
        since = isMarked() ? since : places.size();
    }

    /** The place that the log gave the record. */
    static String place(Message message) {
        byte[] place = Objects.requireNonNull(message.header(SimRecord.PLACE_HEADER));
        return new String(place, StandardCharsets.UTF_8);
    }
}
