package dev.envelope.integration.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Options of a main class, each {@code --name value}.
 *
 * <p>Threads: immutable.
 */
public final class Options {

    private final Map<String, String> values;

    private Options(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    /** Refuses what is not among the names. */
    public static Options parse(String[] arguments, String... names) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (!List.of(names).contains(name) || i + 1 == arguments.length) {
                throw new IllegalArgumentException(
                        arguments[i]
                                + ": the options are --"
                                + String.join(" N, --", names)
                                + " N");
            }
            values.put(name, arguments[i + 1]);
        }
        return new Options(values);
    }

    public int number(String name, int otherwise) {
        String value = values.get(name);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    public String word(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }
}
