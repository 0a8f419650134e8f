package dev.envelope.integration.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.Main;
import dev.envelope.integration.docs.MarkdownPage.Block;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A page of the guide, done as its reader would: its files are saved, its commands given to a
 * shell, its statements to the database, and what it shows of their answers is looked for.
 *
 * <p>Threads: one thread.
 */
public final class GuidePage implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String RUN = "envelope run ";
    private static final Pattern EXPORT = Pattern.compile("(?m)^export .*$");

    private final MarkdownPage page;
    private final String name;
    private final Workspace workspace;
    private final Database database;
    private final Path folder;
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private final List<String> exports = new ArrayList<>();
    private final List<ChildProcess> running = new ArrayList<>();

    /**
     * @param addresses what stands in the page, and what it is here
     */
    public GuidePage(
            String name, Workspace workspace, Database database, Map<String, String> addresses)
            throws IOException {
        this.page = MarkdownPage.of(Checkout.ROOT.resolve("docs/guide/" + name + ".md"));
        this.name = name;
        this.workspace = workspace;
        this.database = database;
        this.folder = Files.createDirectories(workspace.folder().resolve("guide-" + name));
        this.addresses.putAll(addresses);
        this.addresses.put("/opt/envelope-*", folder + "/opt");
        exports.add("cd " + folder);
        exports.add("export PATH=" + tools() + ":" + javaHome() + "/bin:$PATH");
        exports.add("export JAVA_HOME=" + javaHome() + " ENVELOPE_HTTP_LISTEN=127.0.0.1:0");
    }

    private static String javaHome() {
        return System.getProperty("java.home", "");
    }

    /** What the reader has installed. */
    private Path tools() throws IOException {
        Path tools = Files.createDirectories(folder.resolve("bin"));
        JavaCommand quick = JavaCommand.of(Main.class).option("-Xshare:auto");
        Path more = Files.createDirectories(folder.resolve("opt/lib"));
        script(
                tools.resolve("envelope"),
                quick.heap("512m")
                        .with("logback.configurationFile", "logback.xml")
                        .onClassPath(quick.classPath() + ":" + more + "/*"),
                "$ENVELOPE_JAVA_OPTS ");
        JavaCommand kafka = quick.heap("128m").onClassPath(read("broker-classpath/target/broker"));
        script(
                tools.resolve("kafka-topics.sh"),
                kafka.with("org.slf4j.simpleLogger.defaultLogLevel", "warn")
                        .runs("org.apache.kafka.tools.TopicCommand"),
                "");
        script(
                tools.resolve("kafka-console-producer.sh"),
                kafka.with("org.slf4j.simpleLogger.defaultLogLevel", "warn")
                        .runs("org.apache.kafka.tools.ConsoleProducer"),
                "");
        script(
                tools.resolve("kafka-console-consumer.sh"),
                kafka.with("org.slf4j.simpleLogger.defaultLogLevel", "warn")
                        .runs("org.apache.kafka.tools.consumer.ConsoleConsumer"),
                "");
        // The jars that the page's pom.xml asks for are there: the build has resolved the same.
        executable(
                tools.resolve("mvn"),
                "mkdir -p lib && for jar in $(echo '"
                        + read("registry/target/serdes")
                        + "' | tr : ' '); do ln -sf $jar lib/; done");
        return tools;
    }

    private static String read(String classPath) throws IOException {
        return Files.readString(
                        Checkout.ROOT.resolve("integration-tests/" + classPath + ".classpath"))
                .strip();
    }

    /** The jars of the pages that have to do with a registry. */
    static URL[] serdes() throws IOException {
        List<URL> jars = new ArrayList<>();
        for (String jar : read("registry/target/serdes").split(":", -1)) {
            jars.add(Path.of(jar).toUri().toURL());
        }
        return jars.toArray(URL[]::new);
    }

    private static void script(Path file, JavaCommand command, String options) throws IOException {
        executable(
                file,
                "exec '%s/bin/java' %s %s-cp '%s' %s \"$@\""
                        .formatted(
                                javaHome(),
                                String.join(" ", command.options()),
                                options,
                                command.classPath(),
                                command.mainClass()));
    }

    private static void executable(Path file, String line) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** From top to bottom. */
    public void follow() throws IOException {
        List<Block> blocks = page.blocks();
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            boolean answers = i + 1 < blocks.size() && blocks.get(i + 1).language().equals("text");
            String answer = answers ? blocks.get(i + 1).text() : "";
            if (!block.file().isEmpty()) {
                Path file = folder.resolve(block.file());
                Files.createDirectories(file.getParent());
                Files.writeString(file, here(block.text()));
            } else if (block.language().equals("sh")) {
                run(here(block.text()), answer);
            } else if (block.language().equals("sql") && answers) {
                ask(block.text(), table(answer));
            } else if (block.language().equals("sql")) {
                execute(block.text());
            }
        }
        for (ChildProcess process : running) {
            process.signal(Signal.TERM);
            assertThat(process.awaitExit(PATIENCE)).as(process.logTail(50)).isZero();
        }
    }

    private String here(String text) {
        String here = text;
        for (Map.Entry<String, String> address : addresses.entrySet()) {
            here = here.replace(address.getKey(), address.getValue());
        }
        return here;
    }

    private void run(String commands, String answer) throws IOException {
        boolean stays = commands.contains(RUN);
        Path script = Files.createTempFile(folder, "block", ".sh");
        Files.writeString(
                script, String.join("\n", exports) + "\n" + commands.replace(RUN, "exec " + RUN));
        EXPORT.matcher(commands).results().forEach(it -> exports.add(it.group()));
        String title = "guide-" + name + (stays ? "-run" + running.size() : "");
        int before = Files.exists(workspace.log(title)) ? lines(title).size() : 0;
        ChildProcess process =
                workspace.start(title, List.of("bash", "-eu", "-o", "pipefail", script.toString()));
        if (stays) {
            running.add(process);
            await(process, () -> says(lines(title), answer));
        } else {
            int code = process.awaitExit(PATIENCE);
            List<String> said = lines(title).subList(before, lines(title).size());
            assertThat(code).as("%s%n%s", commands, String.join("\n", said)).isZero();
            assertThat(says(said, answer)).as("%s%n%s", commands, String.join("\n", said)).isTrue();
        }
    }

    private List<String> lines(String title) throws IOException {
        return Files.readAllLines(workspace.log(title));
    }

    /** Whether all lines of the answer are there, in their order; "…" stands for anything. */
    private boolean says(List<String> lines, String answer) {
        int at = 0;
        for (String wanted : here(answer).lines().filter(it -> !it.isBlank()).toList()) {
            Pattern pattern =
                    Pattern.compile(
                            Arrays.stream(wanted.strip().split("…", -1))
                                    .map(Pattern::quote)
                                    .collect(Collectors.joining(".*")));
            while (at < lines.size() && !pattern.matcher(lines.get(at)).find()) {
                at++;
            }
            if (at++ == lines.size()) {
                return false;
            }
        }
        return true;
    }

    /** As psql shows it, but for blanks, lines and the count of rows. */
    private static List<List<String>> table(String shown) {
        return shown.lines()
                .filter(line -> !line.isBlank() && !line.matches("[-+]+|\\(\\d+ rows?\\)"))
                .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
                .toList();
    }

    private void execute(String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private void ask(String sql, List<List<String>> answer) {
        List<List<List<String>>> last = new ArrayList<>(List.of(List.of()));
        await(
                running.get(running.size() - 1),
                () -> {
                    last.set(0, answered(sql));
                    return last.get(0).equals(answer);
                },
                () -> "asked " + sql + ", it is " + last.get(0) + " and not " + answer);
    }

    private List<List<String>> answered(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<List<String>> table = new ArrayList<>();
            int columns = row.getMetaData().getColumnCount();
            List<String> names = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                names.add(row.getMetaData().getColumnLabel(i));
            }
            table.add(names);
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    values.add(String.valueOf(row.getString(i)).strip());
                }
                table.add(values);
            }
            return table;
        }
    }

    private interface Condition {
        boolean isMet() throws Exception;
    }

    private static void await(ChildProcess process, Condition condition) {
        await(process, condition, () -> "it has not said what the page shows");
    }

    private static void await(
            ChildProcess process, Condition condition, java.util.function.Supplier<String> why) {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> condition.isMet() || !process.isAlive());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(why.get() + ":\n" + process.logTail(100), e);
        }
        assertThat(process.isAlive()).as(process.logTail(100)).isTrue();
    }

    /** Kills what a failure has left running. */
    @Override
    public void close() {
        running.forEach(ChildProcess::kill);
    }
}
