package dev.envelope.app.handlers.expression;

/**
 * The state of a key under the handler {@code fold}: one accumulator for each expression, in their
 * order.
 *
 * <p>Threads: actor, one at a time.
 */
final class FoldState {

    private final Accumulator[] accumulators;

    FoldState(Expression[] expressions) {
        accumulators = new Accumulator[expressions.length];
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i] = expressions[i].newAccumulator();
        }
    }

    Accumulator at(int index) {
        return accumulators[index];
    }
}
