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
 * @param allFaults whether all goes wrong that can, instead of what is easily shown
 */
public record DemoOptions(Optional<Duration> length, int rate, int keys, boolean allFaults) {

    public static final String USAGE =
            """
            usage: envelope demo [payments|inventory|work] [--rate N] [--keys N] [--seconds N] [--faults all]
              payments     a row per account, with bursts (what is shown without a name)
              inventory    stock that is reserved over HTTP and Kafka, and an auditor
              work         no database: letters that are posted to a server, which is busy or away now and then
              --rate N     payments a second between the bursts (4000); orders a second (100); letters (500)
              --keys N     different accounts (1000), items (50) or people (200)
              --seconds N  end by itself after so many seconds; without it, Ctrl-C ends it
              --faults all of the inventory: brokers, database, network and instances fail in every way, one
                           after the other (few: an instance is killed or the database slow now and then)
            It ends with 0 if all was right.""";

    /** Until Ctrl-C. */
    public static DemoOptions of(int rate, int keys) {
        return new DemoOptions(Optional.empty(), rate, keys, false);
    }

    /** These, but for what the command line says. */
    public DemoOptions with(String... arguments) {
        DemoOptions options = this;
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " has no value");
            }
            options = options.with(arguments[i], arguments[i + 1]);
        }
        return options;
    }

    private DemoOptions with(String option, String value) {
        return switch (option) {
            case "--rate" -> new DemoOptions(length, positive(option, value), keys, allFaults);
            case "--keys" -> new DemoOptions(length, rate, positive(option, value), allFaults);
            case "--seconds" ->
                    new DemoOptions(
                            Optional.of(Duration.ofSeconds(positive(option, value))),
                            rate,
                            keys,
                            allFaults);
            case "--faults" -> new DemoOptions(length, rate, keys, isAll(value));
            default -> throw new IllegalArgumentException(option + " is no option of the demo");
        };
    }

    private static boolean isAll(String value) {
        if (value.equals("all") || value.equals("few")) {
            return value.equals("all");
        }
        throw new IllegalArgumentException("--faults wants all or few, not " + value);
    }

    /** For a demo that knows no others. */
    public void requireFewFaults() {
        if (allFaults) {
            throw new IllegalArgumentException("--faults all is for the inventory");
        }
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
