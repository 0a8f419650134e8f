package dev.envelope.app.gateway;

import dev.envelope.app.config.key.ReadKeys.ValueFormat;
import dev.envelope.app.config.value.Choice;
import dev.envelope.app.http.Refused;
import dev.envelope.idempotency.fold.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Refuses values of which it can be told at once that no handler would get them. */
record ValueCheck(Choice<ValueFormat> format) {

    /**
     * Checks a value.
     *
     * @throws Refused if it is not of the format
     */
    void check(byte[] value) {
        try {
            if (format.is(ValueFormat.JSON) || format.is(ValueFormat.DEBEZIUM)) {
                Documents.check(value);
            } else if (format.is(ValueFormat.STRING)) {
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
            }
        } catch (MalformedException e) {
            throw Refused.badRequest(
                    "the body is no JSON, as value.format wants it: " + e.getMessage());
        } catch (CharacterCodingException e) {
            throw Refused.badRequest("the body is no UTF-8, as value.format wants it");
        }
    }
}
