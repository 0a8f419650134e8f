package dev.envelope.app.commands.options;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The options of commands that write a request for a key. Threads: one thread. */
public final class KeyOptions extends RequestOptions {

    /** Ends the description of an argument that {@link #bytes} reads. */
    public static final String OR_FILE = "or @ and a file's name.";

    @Parameters(index = "0", paramLabel = "KEY", description = "The row's key.")
    private String key = "";

    public String key() {
        return key;
    }

    /** The bytes of an argument: its text, or the content of the file that it names after an @. */
    public byte[] bytes(String argument) {
        if (!argument.startsWith("@")) {
            return argument.getBytes(StandardCharsets.UTF_8);
        }
        Path file = Path.of(argument.substring(1));
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new ParameterException(line(), file + " can't be read", e);
        }
    }
}
