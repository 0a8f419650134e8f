package dev.envelope.integration.stack;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line of a JVM: by default of this Java version, with this JVM's class path.
 *
 * <p>Started by {@link Workspace#start(String, JavaCommand)}.
 *
 * <p>Threads: immutable.
 *
 * @param options what stands before the main class, without the class path
 */
public record JavaCommand(
        String mainClass, String classPath, List<String> options, List<String> arguments) {

    /** Copies the lists. */
    public JavaCommand {
        options = List.copyOf(options);
        arguments = List.copyOf(arguments);
    }

    /** More options for all, and for all that these start, separated by spaces. */
    private static final String MORE_OPTIONS = "stack.java.options";

    /** Runs {@code mainClass} with the class path of this JVM and small footprint. */
    public static JavaCommand of(Class<?> mainClass) {
        String more = System.getProperty(MORE_OPTIONS, "");
        JavaCommand command =
                new JavaCommand(
                        mainClass.getName(),
                        ownClassPath(),
                        Stream.concat(
                                        // Without PerfData a killed JVM leaves no file in the
                                        // system's temporary folder.
                                        Stream.of("-XX:+UseSerialGC", "-XX:-UsePerfData"),
                                        Stream.of(more.split(" ", -1)).filter(it -> !it.isBlank()))
                                .toList(),
                        List.of());
        return more.isBlank() ? command : command.with(MORE_OPTIONS, more);
    }

    /** Absolute, since the process runs in another folder than we. */
    private static String ownClassPath() {
        String absolute =
                Arrays.stream(System.getProperty("java.class.path", "").split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator));
        return SharedClasses.areWanted() ? SharedClasses.ordered(absolute) : absolute;
    }

    /** With a main class that we need not know when we are compiled. */
    public JavaCommand runs(String otherMainClass) {
        return new JavaCommand(otherMainClass, classPath, options, arguments);
    }

    /** With this class path. */
    public JavaCommand onClassPath(String path) {
        return new JavaCommand(mainClass, path, options, arguments);
    }

    /** With this largest heap, as {@code -Xmx} takes it: {@code 256m}. */
    public JavaCommand heap(String size) {
        return option("-Xmx" + size);
    }

    /** With this system property. */
    public JavaCommand with(String property, String value) {
        return option("-D" + property + "=" + value);
    }

    /** With one more option of the JVM. */
    public JavaCommand option(String option) {
        return new JavaCommand(mainClass, classPath, plus(options, option), arguments);
    }

    /** With more arguments for the main class. */
    public JavaCommand arguments(String... more) {
        return new JavaCommand(mainClass, classPath, options, plus(arguments, more));
    }

    /** The words of the command line. */
    List<String> line() {
        List<String> line = new ArrayList<>();
        String java = Path.of(System.getProperty("java.home", ""), "bin", "java").toString();
        line.add(java);
        if (SharedClasses.areWanted() && options.stream().noneMatch(JavaCommand::isRehearsal)) {
            line.addAll(sharedClasses(java));
        }
        line.addAll(options);
        line.addAll(List.of("-cp", classPath, mainClass));
        line.addAll(arguments);
        return line;
    }

    private List<String> sharedClasses(String java) {
        if (mainClass.equals(BrokerMain.class.getName())) {
            return SharedClasses.options(java, classPath, LocalBroker::rehearse);
        }
        return classPath.equals(ownClassPath())
                ? SharedClasses.options(java, classPath, SharedClasses.ofProgram(java, classPath))
                : List.of();
    }

    private static boolean isRehearsal(String option) {
        return option.startsWith(SharedClasses.LIST);
    }

    private static List<String> plus(List<String> words, String... more) {
        return Stream.concat(words.stream(), Stream.of(more)).toList();
    }
}
