package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.table.TableRow;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of messages that a save sets aside: those that it parks, and dead letters. */
public final class SetAsideSql {

    private SetAsideSql() {}

    /**
     * A parked message, and the key of the change that it belongs to.
     *
     * @param owner null for a message that can't have a row
     */
    public record Parked(@Nullable String owner, ParkedMessage parked) {

        public Message message() {
            return parked.message();
        }
    }

    /**
     * A record for the outbox, and the key of the change that it belongs to.
     *
     * @param owner null for a message that can't have a row
     */
    public record DeadLetter(@Nullable String owner, OutboxRecord record) {

        private Message origin() {
            return record.origin();
        }
    }

    /** Owners, then the columns of {@code parked} from {@code row_key} to {@code attempts}. */
    public static List<Object> ofParked(List<Parked> parked) throws SQLException {
        return List.of(
                BinaryArray.ofTexts(parked, Parked::owner),
                BinaryArray.ofTexts(parked, each -> each.parked.rowKey()),
                BinaryArray.ofInts(parked, each -> each.message().epoch().source()),
                BinaryArray.ofLongs(parked, each -> each.message().offset()),
                BinaryArray.ofInts(parked, each -> each.message().leaderEpoch()),
                BinaryArray.ofLongs(parked, each -> each.message().timestampMillis()),
                BinaryArray.ofBytes(parked, each -> each.message().keyBytes()),
                BinaryArray.ofBytes(parked, each -> each.message().value()),
                BinaryArray.ofJson(parked, each -> HeadersJson.write(each.message().headers())),
                BinaryArray.ofTexts(parked, each -> each.parked.reason()),
                BinaryArray.ofTexts(parked, each -> HeadersJson.legible(each.parked.error())),
                BinaryArray.ofInts(parked, each -> each.parked.attempts()));
    }

    /** Owners, then the columns of {@code outbox} from {@code topic} to {@code ordinal}. */
    public static List<Object> ofDeadLetters(List<DeadLetter> letters) throws SQLException {
        return List.of(
                BinaryArray.ofTexts(letters, DeadLetter::owner),
                BinaryArray.ofTexts(letters, each -> each.record.topic()),
                BinaryArray.ofBytes(letters, each -> each.record.key()),
                BinaryArray.ofBytes(letters, each -> each.record.value()),
                BinaryArray.ofJson(letters, each -> HeadersJson.write(each.record.headers())),
                BinaryArray.ofInts(letters, each -> each.origin().epoch().source()),
                BinaryArray.ofLongs(letters, each -> TableRow.placeOf(each.origin())),
                BinaryArray.ofInts(letters, each -> each.origin().leaderEpoch()),
                BinaryArray.ofInts(letters, each -> each.record.ordinal()));
    }
}
