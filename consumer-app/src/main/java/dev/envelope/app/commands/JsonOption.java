package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import java.util.Map;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** Whether an answer is printed for programs. Threads: one thread. */
final class JsonOption {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    boolean isWanted() {
        return json;
    }

    /** One line. */
    static void print(Terminal terminal, Map<String, ?> document) {
        terminal.out().println(MAPPER.writeValueAsString(document));
    }
}
