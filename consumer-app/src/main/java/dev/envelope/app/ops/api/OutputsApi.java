package dev.envelope.app.ops.api;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.app.ops.OutputsDocument;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.OutputCatalog.Done;
import java.util.List;
import java.util.function.Function;

/**
 * The part of the API about outputs that wait for Kafka.
 *
 * <p>Threads: thread-safe; requests run on the server's threads, and block on the database.
 */
final class OutputsApi {

    private static final int MOST = 200;

    private final Rows rows;
    private final Changes changes;

    OutputsApi(Rows rows, Changes changes) {
        this.rows = rows;
        this.changes = changes;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/outputs", this::look),
                Route.post("/api/outputs/retry", this::retry),
                Route.post("/api/outputs/drop", this::drop));
    }

    private Answer look(Call call) {
        int most = call.number("limit", MOST, 1, MOST);
        long after = call.position("after");
        return Answer.json(
                rows.look(
                        OperatorStore::outputs,
                        catalog -> OutputsDocument.of(catalog, after, most)));
    }

    private Answer retry(Call call) {
        if (call.is("all") == (call.find("position") != null)) {
            throw refusedParameters();
        }
        Long position = call.is("all") ? null : Call.number("position", call.get("position"));
        return decide("refused outputs are tried again", it -> it.retry(position, call.by()), call);
    }

    private static Refused refusedParameters() {
        return Refused.badRequest("wants position or all=true");
    }

    private Answer drop(Call call) {
        long position = Call.number("position", call.get("position"));
        return decide("refused outputs were dropped", it -> it.drop(position, call.by()), call);
    }

    private Answer decide(String what, Function<OutputCatalog, Done> decision, Call call) {
        Done done = rows.ask(OperatorStore::outputs, decision);
        if (done.outputs() > 0) {
            changes.note("%s: %d".formatted(what, done.outputs()), call);
            return Answer.json(done);
        }
        String why = OutputsDocument.inWords(done);
        throw done.underWay() > 0 ? Refused.conflict(why) : Refused.notFound(why);
    }
}
