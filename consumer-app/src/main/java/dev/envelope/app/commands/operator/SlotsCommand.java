package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.database.DividedSlots;
import dev.envelope.app.process.Instance;
import dev.envelope.app.terminal.Template;
import java.util.Map;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the slots that rows are divided into, and moves one. Threads: one thread. */
@Command(
        name = "slots",
        subcommands = SlotsDivideCommand.class,
        header = "Where the slots of divided rows are; move one to another database.",
        footer = {
            "  envelope slots list -c consumer.properties",
            "  envelope slots move 3 --to b --dry-run -c consumer.properties",
            "  envelope slots move 3 --to b -c consumer.properties",
            "  envelope slots move 3 --abandon -c consumer.properties",
            "  envelope slots divide --help",
            "",
            "Processes may run: keys of that slot wait for the copy, others go on.",
            "The same command goes on with a move that broke off; --abandon undoes it.",
            "If a place lost what was moved there, --again takes the copy that was left.",
            "Exit codes: 0 done, 69 a database is away or busy, 78 it can't be done."
        })
public final class SlotsCommand implements Runnable {

    @Mixin private Output output = new Output();

    /** Where a slot goes. */
    private static final class Way {

        @Option(
                names = "--to",
                paramLabel = "PLACE",
                required = true,
                description = "The database: main, or a name of store.place.")
        private String to = "";

        @Option(
                names = "--abandon",
                required = true,
                description = "Take back a move that is not done.")
        private boolean abandon;
    }

    private record Done(int slot, String answer) {}

    @Override
    public void run() {
        throw output.misuse("what is to be done? list, move, divide");
    }

    @Command(name = "list", header = "The slots, and the databases where they are.")
    void list(@Mixin DatabaseOptions database) {
        database.printAll(
                Map.of("slots", DividedSlots.of(database.load(), Instance.name()).all()),
                "/slots",
                it ->
                        Template.fill(
                                it.at("/move").asString().isEmpty()
                                        ? "{slot}  {place}  about {rows|row}, {size}"
                                        : "{slot}  {place}  about {rows|row}, {size}; {move|line}",
                                it));
    }

    @Command(name = "move", header = "Move a slot to another database, while processes run.")
    void move(
            @Mixin DatabaseOptions database,
            @Parameters(paramLabel = "SLOT", description = "Its number, from 0 on.") int slot,
            @ArgGroup(multiplicity = "1") Way way,
            @Option(
                            names = "--again",
                            description = "Once more: PLACE has lost what was moved there.")
                    boolean again,
            @Option(names = "--dry-run", description = "Only say what would be done.")
                    boolean dryRun) {
        DividedSlots slots = DividedSlots.of(database.load(), Instance.name());
        if (slot < 0 || slot >= slots.count()) {
            throw output.misuse(
                    "there is no slot %d: store.slots is %d".formatted(slot, slots.count()));
        } else if (way.abandon && (dryRun || again)) {
            throw output.misuse(
                    (dryRun ? "--dry-run" : "--again") + " is for a move, not for --abandon");
        } else if (dryRun) {
            plan(database, slots.plan(slot, way.to, again));
        } else {
            String answer =
                    way.abandon
                            ? slots.abandon(slot)
                            : slots.move(
                                    slot, way.to, again, Output.who(), database.err()::println);
            database.print(new Done(slot, answer), json -> database.fill("{answer}", json));
        }
    }

    private static void plan(DatabaseOptions database, DividedSlots.Planned plan) {
        boolean isThere = plan.from().equals(plan.to());
        database.print(
                plan,
                json ->
                        database.fill(
                                isThere
                                        ? "slot {slot} is at {to} already"
                                        : "slot {slot} would move from {from} to {to}: about {rows|row}, {size};"
                                                + " its keys would wait for about {seconds} s",
                                json));
        if (!database.isJson() && !isThere) {
            database.say("servers: Postgres %s", String.join(" and ", plan.servers()));
            if (plan.isBegun()) {
                database.say("the move has begun: it would be gone on with");
            }
            plan.obstacles().forEach(it -> database.say("can't: %s", it));
        }
    }
}
