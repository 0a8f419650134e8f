package dev.envelope.integration.outage;

import dev.envelope.integration.stack.proxy.ProxiedStack;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One stack for all tests of the run that ask for it, healed after each.
 *
 * <p>Threads: thread-safe (the store of the run is).
 */
public final class OneProxiedStack implements ParameterResolver, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(OneProxiedStack.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(ProxiedStack.class);
    }

    @Override
    public ProxiedStack resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return stack(context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        stack(context).heal();
    }

    private static ProxiedStack stack(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("stack", key -> new Holder(ProxiedStack.start()), Holder.class)
                .stack();
    }

    /** The run closes it at its end. */
    private record Holder(ProxiedStack stack) implements AutoCloseable {

        @Override
        public void close() {
            stack.close();
        }
    }
}
