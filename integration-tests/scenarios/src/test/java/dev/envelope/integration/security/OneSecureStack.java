package dev.envelope.integration.security;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One pair of secure servers for all tests of the run that ask for it.
 *
 * <p>Threads: thread-safe (the store of the run is, and closes them at its end).
 */
final class OneSecureStack implements ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(OneSecureStack.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == SecureServers.class;
    }

    @Override
    public SecureServers resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("servers", key -> new SecureServers(), SecureServers.class);
    }
}
