package dev.envelope.app.handlers.expression;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.json.Scalars;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handler {@code fold}. A tombstone deletes the state.
 *
 * <p>Threads: immutable; the state that it changes has one owner at a time.
 */
public final class ExpressionFold implements Fold<FoldState, Scalars> {

    private final Expression[] expressions;

    public ExpressionFold(List<Expression> expressions) {
        this.expressions = expressions.toArray(Expression[]::new);
    }

    @Override
    public @Nullable FoldState apply(
            @Nullable FoldState state, @Nullable Scalars value, Message message) {
        if (value == null) {
            return null;
        }
        FoldState next = state == null ? new FoldState(expressions) : state;
        for (int i = 0; i < expressions.length; i++) {
            expressions[i].apply(next.at(i), value);
        }
        return next;
    }
}
