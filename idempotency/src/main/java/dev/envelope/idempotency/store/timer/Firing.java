package dev.envelope.idempotency.store.timer;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a message says of the timer whose firing it is. Anybody could have written its headers, so
 * it counts only if the timer's row agrees.
 *
 * @param generation as {@link #generation} makes it
 * @param ownGeneration the same with the number that its own log has here: it was written there
 *     under another number, if these rows are made anew from the log
 */
public record Firing(String name, String generation, String ownGeneration) {

    /** The header with the timer's name. Only firings have it. */
    public static final String NAME = "envelope.timer";

    /** The header with the timer's generation. */
    public static final String GENERATION = "envelope.timer.generation";

    /** Whether one of these messages is one. */
    public static boolean isAmong(List<Message> messages) {
        for (Message message : messages) {
            if (message.header(NAME) != null) {
                return true;
            }
        }
        return false;
    }

    /** The firing that a message is; null if it is none. */
    public static @Nullable Firing of(Message message) {
        byte[] name = message.header(NAME);
        if (name == null) {
            return null;
        }
        String generation = text(message.header(GENERATION));
        int end = generation.indexOf('/');
        String own = end < 0 ? "" : message.epoch().source() + generation.substring(end);
        return new Firing(text(name), generation, own);
    }

    /**
     * Whether it is of this timer. The number that its own log has here is not asked where the one
     * that it names is that of a former topic: after that was deleted, its firings go to the new
     * one, where other messages have the same offsets.
     */
    public boolean isOf(@Nullable DueTimer present) {
        return present != null
                && (generation.equals(present.generation())
                        || (ownGeneration.equals(present.generation())
                                && present.otherTopics().stream().noneMatch(this::names)));
    }

    private boolean names(int source) {
        return generation.startsWith(source + "/");
    }

    /** Whether it may be the firing of what a message sets, as far as messages tell. */
    public boolean mayBeOf(Timer.Setting set) {
        String its = generation(set);
        return generation.equals(its) || ownGeneration.equals(its);
    }

    /** The generation of a timer that is set. */
    public static String generation(Timer.Setting set) {
        Message origin = set.origin();
        return generation(
                origin.epoch().source(), origin.offset(), origin.leaderEpoch(), set.ordinal());
    }

    private static String text(byte @Nullable [] header) {
        return header == null ? "" : new String(header, StandardCharsets.UTF_8);
    }

    /**
     * The generation of a timer: the message that has set it, and the number of this effect among
     * those of that message. It is the same when the message is folded again.
     */
    public static String generation(int source, long offset, int leaderEpoch, int ordinal) {
        return source + "/" + offset + "/" + leaderEpoch + "/" + ordinal;
    }
}
