package dev.envelope.idempotency;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.idempotency.fold.Work;
import java.util.ArrayList;
import java.util.List;

/**
 * The works of a turn, one for each envelope, and the youngest epoch of all their messages.
 *
 * @param <S> the state of a key
 */
record TurnWorks<S>(List<Work<S>> all, PartitionEpoch youngest) {

    static <S> TurnWorks<S> of(List<Envelope> envelopes) {
        List<Work<S>> works = new ArrayList<>(envelopes.size());
        PartitionEpoch youngest = envelopes.get(0).first().epoch();
        for (int place = 0; place < envelopes.size(); place++) {
            Work<S> work = Work.of(place, envelopes.get(place));
            works.add(work);
            youngest = work.epoch().number() > youngest.number() ? work.epoch() : youngest;
        }
        return new TurnWorks<>(works, youngest);
    }
}
