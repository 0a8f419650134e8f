package dev.envelope.integration.stack;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One stack for all tests of the run that ask for it; each has its own topic and database there.
 *
 * <p>Threads: thread-safe (the store of the run is).
 */
public final class OneStack implements ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(OneStack.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().isAssignableFrom(LocalStack.class);
    }

    @Override
    public LocalStack resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("stack", key -> new Holder(LocalStack.start()), Holder.class)
                .stack();
    }

    /** The run closes it at its end. */
    private record Holder(LocalStack stack) implements AutoCloseable {

        @Override
        public void close() {
            stack.close();
        }
    }
}
