package dev.envelope.app.handlers;

import dev.envelope.app.handlers.expression.GivenUpFields;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What the settings say about the handler.
 *
 * @param handler the setting {@code handler}
 * @param expressions the settings {@code handler.fold.*} without that prefix, in their order in the
 *     state
 * @param config the settings {@code handler.config.*} without that prefix
 * @param path the setting {@code handler.path}: jars, and folders of jars and classes
 * @param valueFormat the setting {@code value.format}
 * @param deserializerConfig the settings {@code value.deserializer.*} without that prefix
 * @param givenUp the setting {@code handler.drop}, which may change
 */
public record HandlerRequest(
        String handler,
        Map<String, String> expressions,
        Map<String, String> config,
        List<Path> path,
        String valueFormat,
        Map<String, String> deserializerConfig,
        GivenUpFields givenUp) {}
