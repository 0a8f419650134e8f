package dev.envelope.app.commands;

import dev.envelope.app.commands.config.ConfigCommand;
import dev.envelope.app.commands.config.PinCommand;
import dev.envelope.app.commands.operator.KeyCommand;
import dev.envelope.app.commands.operator.OperatorCommands;
import dev.envelope.app.commands.operator.OutputsCommand;
import dev.envelope.app.commands.operator.PartitionsCommand;
import dev.envelope.app.commands.operator.SlotsCommand;
import dev.envelope.app.commands.parked.ParkedCommand;
import dev.envelope.app.commands.remote.DoctorCommand;
import dev.envelope.app.commands.remote.LookCommands;
import dev.envelope.app.commands.remote.PoolCommand;
import dev.envelope.app.commands.remote.StatusCommand;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The top-level command {@code envelope}, with its subcommands. Threads: one thread. */
@Command(
        name = "envelope",
        header = "One always-correct row per key in Postgres, from a Kafka topic.",
        footer = {
            "  envelope config sample > consumer.properties   a file to begin with",
            "  envelope run -c consumer.properties            consume",
            "  envelope stuck -c consumer.properties          why is my lag stuck?"
        })
public final class EnvelopeCommand {

    private static final int WIDTH = 80;

    /** Examples first: most people look for a line to copy. */
    private static final List<String> SECTIONS =
            List.of(
                    UsageMessageSpec.SECTION_KEY_HEADER,
                    UsageMessageSpec.SECTION_KEY_FOOTER_HEADING,
                    UsageMessageSpec.SECTION_KEY_FOOTER,
                    UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING,
                    UsageMessageSpec.SECTION_KEY_SYNOPSIS,
                    UsageMessageSpec.SECTION_KEY_PARAMETER_LIST,
                    UsageMessageSpec.SECTION_KEY_OPTION_LIST_HEADING,
                    UsageMessageSpec.SECTION_KEY_OPTION_LIST,
                    UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING,
                    UsageMessageSpec.SECTION_KEY_COMMAND_LIST);

    /** For commands that only group others: no options, so that the list fits a terminal. */
    private static final List<String> SECTIONS_OF_GROUPS =
            SECTIONS.stream().filter(it -> !it.contains("option")).toList();

    /** The commands by purpose: one per line would not fit a terminal. */
    private static final String LISTED =
            """
              run it  run         consume until SIGTERM or Ctrl-C
                      validate    check the settings, and with --online the servers
                      migrate     create the tables, or bring them up to date
                      config, pin settings: those that hold; those that must not change
              look    status      how a running process does
                      stuck, lag  why is my lag stuck? how far each partition is
                      key         a key's state, what it is doing now; set, delete
                      parked      messages that failed for the last time; redrive them
                      partitions  those that were stopped; resume them
                      outputs     what waits for Kafka, and what it refuses; retry, drop
                      doctor      one file to attach to a bug report
              turn    pool, slots add and remove workers; move a part of the rows
                      pause, resume, paused, drain: fetch nothing more for a while
              besides audit, reload, classpath, completion, version
            """;

    private static final Map<String, Function<Terminal, Object>> COMMANDS = commands();

    private final Terminal terminal;

    private EnvelopeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The command line of the program with all its commands, ready to be executed. */
    public static CommandLine on(Terminal terminal) {
        return on(terminal, COMMANDS.keySet());
    }

    /**
     * Executes a command line. It builds only the command that is named; most calls need no other.
     */
    public static int execute(Terminal terminal, String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (first.equals("--version")) { // as other programs have it
            return execute(terminal, "version");
        }
        boolean isOne = COMMANDS.containsKey(first) && !first.equals("completion");
        int code = on(terminal, isOne ? Set.of(first) : COMMANDS.keySet()).execute(arguments);
        terminal.flush();
        return code;
    }

    private static CommandLine on(Terminal terminal, Set<String> names) {
        EnvelopeCommand top = new EnvelopeCommand(terminal);
        CommandLine line = new CommandLine(top);
        COMMANDS.forEach(
                (name, command) -> {
                    if (names.contains(name)) {
                        line.addSubcommand(name, command.apply(terminal));
                    }
                });
        top.prepare(line);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> LISTED);
        return line;
    }

    private static Map<String, Function<Terminal, Object>> commands() {
        Map<String, Function<Terminal, Object>> commands = new LinkedHashMap<>();
        addMethods(commands, StartCommands.class, "run", "validate", "migrate");
        commands.put("config", terminal -> new ConfigCommand());
        commands.put("pin", terminal -> new PinCommand());
        commands.put("status", StatusCommand::new);
        addMethods(commands, LookCommands.class, "stuck", "lag");
        commands.put("key", terminal -> new KeyCommand());
        commands.put("parked", ParkedCommand::new);
        commands.put("partitions", terminal -> new PartitionsCommand());
        commands.put("slots", terminal -> new SlotsCommand());
        commands.put("outputs", terminal -> new OutputsCommand());
        commands.put("doctor", terminal -> new DoctorCommand());
        commands.put("pool", terminal -> new PoolCommand());
        addMethods(commands, OperatorCommands.class, "pause", "resume", "paused", "audit");
        addMethods(commands, LookCommands.class, "drain", "reload");
        addMethods(commands, StartCommands.class, "classpath", "completion", "version");
        addMethods(commands, Rehearsal.class, "rehearse");
        return commands;
    }

    private static void addMethods(
            Map<String, Function<Terminal, Object>> commands, Class<?> of, String... names) {
        for (String name : names) {
            commands.put(name, terminal -> CommandLine.getCommandMethods(of, name).get(0));
        }
    }

    /** Sets up a command and its subcommands. */
    private void prepare(CommandLine line) {
        line.setOut(terminal.out());
        line.setErr(terminal.err());
        line.getCommandSpec()
                .addOption(
                        OptionSpec.builder("-h", "--help")
                                .usageHelp(true)
                                .description("Show this help.")
                                .build());
        boolean isGroup =
                !line.getSubcommands().isEmpty()
                        && line.getCommandSpec().positionalParameters().isEmpty();
        line.setHelpSectionKeys(isGroup ? SECTIONS_OF_GROUPS : SECTIONS);
        line.setUsageHelpWidth(WIDTH);
        line.getCommandSpec()
                .usageMessage()
                .footerHeading("%nExamples:%n")
                .synopsisHeading("%nUsage: ")
                .optionListHeading("%nOptions:%n")
                .commandListHeading("%nCommands:%n");
        showExamplesOfParent(line);
        line.setExpandAtFiles(false); // each command gives an @ its own meaning
        line.setParameterExceptionHandler(this::misused);
        line.setExecutionExceptionHandler(new Failures(terminal));
        line.getSubcommands().values().forEach(this::prepare);
    }

    /** A command without examples of its own shows those of its parent that call it. */
    private static void showExamplesOfParent(CommandLine line) {
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        if (line.getParent() != null && usage.footer().length == 0) {
            String own = "  " + line.getCommandSpec().qualifiedName() + " ";
            String[] all = line.getParent().getCommandSpec().usageMessage().footer();
            usage.footer(
                    Arrays.stream(all)
                            .filter(example -> (example + " ").startsWith(own))
                            .toArray(String[]::new));
        }
    }

    private int misused(ParameterException e, String[] arguments) {
        CommandLine line = e.getCommandLine();
        terminal.err().println(e.getMessage());
        Misuse.hint(e, arguments)
                .ifPresentOrElse(
                        terminal.err()::println,
                        () -> UnmatchedArgumentException.printSuggestions(e, terminal.err()));
        terminal.err().printf("see %s --help%n", line.getCommandSpec().qualifiedName());
        return ExitCode.USAGE;
    }
}
