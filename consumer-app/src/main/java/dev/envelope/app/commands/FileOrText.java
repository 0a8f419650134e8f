package dev.envelope.app.commands;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** An argument that is its own text or, behind an @, a file's name. Threads: stateless. */
final class FileOrText {

    static final String DESCRIBED = "or @ and a file's name.";

    private FileOrText() {}

    static byte[] read(CommandLine line, String argument) {
        if (!argument.startsWith("@")) {
            return argument.getBytes(StandardCharsets.UTF_8);
        }
        Path file = Path.of(argument.substring(1));
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new ParameterException(line, file + " can't be read", e);
        }
    }
}
