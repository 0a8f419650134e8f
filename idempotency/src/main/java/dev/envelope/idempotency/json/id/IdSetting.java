package dev.envelope.idempotency.json.id;

import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.json.Brief;

/** Parses the setting {@code dedupe.id}: where the event ids of messages are. */
public final class IdSetting {

    private IdSetting() {}

    /**
     * The ids that a text names: {@code none}, {@code header:<name>}, {@code cloudevents} or {@code
     * json:<pointer>}.
     *
     * @throws IllegalArgumentException with the valid forms, if it is none of these
     */
    public static MessageIds parse(String text) {
        if (text.equals("none")) {
            return MessageIds.NONE;
        } else if (text.equals("cloudevents")) {
            return new CloudEventIds();
        } else if (text.startsWith("header:")) {
            return new HeaderIds(text.substring("header:".length()));
        } else if (text.startsWith("json:")) {
            return new JsonPointerIds(text.substring("json:".length()));
        }
        throw new IllegalArgumentException(
                "expected none, header:<name>, cloudevents or json:/<pointer>, found: "
                        + Brief.text(text));
    }
}
