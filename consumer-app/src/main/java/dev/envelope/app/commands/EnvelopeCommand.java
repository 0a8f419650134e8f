package dev.envelope.app.commands;

import dev.envelope.app.commands.remote.DoctorCommand;
import dev.envelope.app.commands.remote.DrainCommand;
import dev.envelope.app.commands.remote.KeyCommand;
import dev.envelope.app.commands.remote.LagCommand;
import dev.envelope.app.commands.remote.PauseCommand;
import dev.envelope.app.commands.remote.PausedCommand;
import dev.envelope.app.commands.remote.PoolCommand;
import dev.envelope.app.commands.remote.ReloadCommand;
import dev.envelope.app.commands.remote.ResumeCommand;
import dev.envelope.app.commands.remote.StatusCommand;
import dev.envelope.app.commands.remote.StuckCommand;
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

/** The program by its name alone: it shows what it can do. Threads: one thread. */
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

    /** Where all that there is to say is which commands there are: they have to fit a terminal. */
    private static final List<String> SECTIONS_OF_GROUPS =
            SECTIONS.stream().filter(it -> !it.contains("option")).toList();

    /** By what one wants to do: a list of them all would not fit a terminal. */
    private static final String LISTED =
            """
              run it  run         consume until SIGTERM or Ctrl-C
                      validate    check the settings, and with --online the servers
                      migrate     create the tables, or bring them up to date
                      config, pin settings: those that hold; those that must not change
              look    status      how a running process does
                      stuck       why is my lag stuck?
                      lag         how far each partition is
                      key         a key's state, what it is doing now; set, delete
                      parked      messages that failed for the last time; redrive them
                      partitions  those that were stopped; resume them
                      doctor      one file to attach to a bug report
              turn    pool        add and remove workers
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

    /** Executes a command line. Only the command that it names is made: most starts are of one. */
    public static int execute(Terminal terminal, String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (first.equals("--version")) { // where everybody looks for it
            return execute(terminal, "version");
        }
        Set<String> made = COMMANDS.containsKey(first) ? Set.of(first) : COMMANDS.keySet();
        boolean wantsAll = first.equals("completion");
        int code = on(terminal, wantsAll ? COMMANDS.keySet() : made).execute(arguments);
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
        top.prepareAll(line);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> LISTED);
        return line;
    }

    private static Map<String, Function<Terminal, Object>> commands() {
        Map<String, Function<Terminal, Object>> commands = new LinkedHashMap<>();
        commands.put("run", terminal -> new RunCommand());
        commands.put("validate", ValidateCommand::new);
        commands.put("status", StatusCommand::new);
        commands.put("stuck", StuckCommand::new);
        commands.put("lag", LagCommand::new);
        commands.put("key", EnvelopeCommand::key);
        commands.put("parked", EnvelopeCommand::parked);
        commands.put("audit", AuditCommand::new);
        commands.put("partitions", PartitionsCommand::new);
        commands.put("pause", PauseCommand::new);
        commands.put("resume", ResumeCommand::new);
        commands.put("paused", PausedCommand::new);
        commands.put("drain", DrainCommand::new);
        commands.put("pool", PoolCommand::new);
        commands.put("reload", ReloadCommand::new);
        commands.put("doctor", DoctorCommand::new);
        commands.put("config", ConfigCommand::new);
        commands.put("migrate", MigrateCommand::new);
        commands.put("pin", PinCommand::new);
        commands.put("classpath", ClassPathCommand::new);
        commands.put("completion", CompletionCommand::new);
        commands.put("rehearse", RehearseCommand::new);
        commands.put("version", VersionCommand::new);
        return commands;
    }

    private static CommandLine parked(Terminal terminal) {
        return new CommandLine(new ParkedCommand(terminal))
                .addSubcommand(new ParkedEditCommand(terminal))
                .addSubcommand(new ParkedBulkCommand(terminal));
    }

    private static CommandLine key(Terminal terminal) {
        return new CommandLine(new KeyCommand(terminal))
                .addSubcommand(new KeySetCommand(terminal))
                .addSubcommand(new KeyDeleteCommand(terminal))
                .addSubcommand(new KeyQuarantineCommand(terminal));
    }

    private void prepareAll(CommandLine line) {
        for (CommandLine each : line.getSubcommands().values()) {
            prepare(each);
            prepareAll(each);
        }
    }

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
        line.setExpandAtFiles(false); // an @ means what the command says that it means
        line.setParameterExceptionHandler(this::misused);
        line.setExecutionExceptionHandler(new Failures(terminal));
    }

    /** A command without examples of its own shows its parent's that are of it. */
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
