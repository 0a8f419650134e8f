package dev.envelope.integration.demo.show;

import java.time.Duration;
import java.util.Optional;

/**
 * What the demo was asked for.
 *
 * <p>Threads: immutable.
 *
 * @param length how long it runs; empty until Ctrl-C
 * @param rate payments or orders a second
 * @param keys how many different ones
 */
public record DemoOptions(Optional<Duration> length, int rate, int keys) {

    public static final String USAGE =
            """
            usage: envelope demo [payments|inventory] [--rate N] [--keys N] [--seconds N]
              payments     a row per account, with bursts (what is shown without a name)
              inventory    stock that is reserved over HTTP and Kafka, and an auditor
              --rate N     payments a second between the bursts (4000); orders a second (100)
              --keys N     different accounts (1000) or items (50)
              --seconds N  end by itself after so many seconds; without it, Ctrl-C ends it""";

    /** These, but for what the command line says. */
    public DemoOptions with(String... arguments) {
        DemoOptions options = this;
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " has no value");
            }
            int number = positive(arguments[i], arguments[i + 1]);
            options =
                    switch (arguments[i]) {
                        case "--rate" -> new DemoOptions(options.length, number, options.keys);
                        case "--keys" -> new DemoOptions(options.length, options.rate, number);
                        case "--seconds" ->
                                new DemoOptions(
                                        Optional.of(Duration.ofSeconds(number)),
                                        options.rate,
                                        options.keys);
                        default ->
                                throw new IllegalArgumentException(
                                        arguments[i] + " is no option of the demo");
                    };
        }
        return options;
    }

    private static int positive(String option, String value) {
        try {
            int number = Integer.parseInt(value);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // said below
        }
        throw new IllegalArgumentException(option + " wants a positive number, not " + value);
    }
}
