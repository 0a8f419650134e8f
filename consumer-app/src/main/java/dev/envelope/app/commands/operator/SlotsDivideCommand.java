package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.database.RowsDivision;
import dev.envelope.app.process.Instance;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Divides rows into slots that were not divided. Threads: one thread. */
@Command(
        name = "divide",
        header = "Divide rows that are not divided, as new settings with store.slots say.",
        footer = {
            "  envelope slots divide --dry-run -c new.properties",
            "  envelope slots divide -c new.properties",
            "  envelope slots divide --finish -c new.properties",
            "  envelope slots divide --abandon -c new.properties",
            "",
            "Copies rows while processes run with the former settings; again, what has",
            "changed since. Before --finish they must end. Call the same after a break-off.",
            "Exit codes: 0 done, 69 a database is away or busy, 78 it can't be done."
        })
final class SlotsDivideCommand implements Runnable {

    @Mixin private DatabaseOptions database = new DatabaseOptions();

    @ArgGroup private What what = new What();

    /** What is done instead of the copy. */
    private static final class What {

        @Option(names = "--dry-run", description = "Only say what would be done.")
        private boolean dryRun;

        @Option(names = "--finish", description = "Do the last step, with all processes stopped.")
        private boolean finish;

        @Option(names = "--abandon", description = "Take back a division that is not done.")
        private boolean abandon;
    }

    private record Done(int slots, String answer) {}

    @Override
    public void run() {
        RowsDivision division =
                RowsDivision.of(database.load(), Instance.name(), database.err()::println);
        if (what.dryRun) {
            plan(division.plan());
            return;
        }
        String answer =
                what.abandon
                        ? division.abandon()
                        : what.finish ? division.finish(Output.who()) : division.copy(Output.who());
        database.print(new Done(division.slots(), answer), json -> database.fill("{answer}", json));
    }

    private void plan(RowsDivision.Planned plan) {
        database.print(
                plan,
                json -> database.fill("schema {schema}: about {rows|row}, {size}; {next}", json));
        if (!database.isJson()) {
            for (int slot = 0; slot < plan.slots().size(); slot++) {
                database.say("slot %d: %s", slot, plan.slots().get(slot));
            }
            plan.waits().forEach(it -> database.say("--finish waits for this: %s", it));
            plan.obstacles().forEach(it -> database.say("can't: %s", it));
        }
    }
}
