package dev.envelope.idempotency.store.output;

import org.apache.kafka.common.Uuid;

/**
 * Where a record that is put out comes from, in terms that are the same for every process and
 * database.
 *
 * @param topicId of the source's topic when the source was first seen, also after an operator has
 *     adopted another topic in its place: so a record has the same id each time it is sent
 * @param generation of the source; 0 until a truncation is accepted
 * @param ordinal its number among the records of that message: 0 for a dead letter or a changelog,
 *     from 1 on for what the handler emits
 */
public record Origin(
        Uuid topicId, int generation, int partition, long offset, int leaderEpoch, int ordinal) {

    /** The record's id: the same for the same message of the same log whenever it is sent. */
    public String id(String applicationId) {
        return id(applicationId, topicId.toString());
    }

    /** The same, for callers who know the id of the topic as text. */
    public String id(String applicationId, String topic) {
        StringBuilder id = new StringBuilder(80).append(applicationId).append('/').append(topic);
        if (generation > 0) {
            id.append('.').append(generation);
        }
        id.append('/').append(partition).append('/').append(offset);
        if (leaderEpoch >= 0) { // after a truncation, another message has that offset
            id.append('@').append(leaderEpoch);
        }
        if (ordinal > 0) {
            id.append('/').append(ordinal);
        }
        return id.toString();
    }
}
