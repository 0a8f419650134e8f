package dev.envelope.app.config.layer;

import dev.envelope.app.config.layer.PropertiesParser.Property;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads a properties file and the files that it includes. A file's own settings take precedence
 * over those that it includes; a key in two included files is a problem.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class PropertyFiles {

    static final String INCLUDE = "config.include";

    private final ProblemCollector problems;
    private boolean isAllRead = true;

    PropertyFiles(ProblemCollector problems) {
        this.problems = problems;
    }

    Map<String, Entry> read(Path file) {
        return read(file, new Origin.FileLine(file.toString(), 0), "", List.of());
    }

    /** False if a file could not be read: a key that seems unset may be set in it. */
    boolean isAllRead() {
        return isAllRead;
    }

    private Map<String, Entry> read(Path file, Origin asked, String subject, List<Path> within) {
        Path path = file.toAbsolutePath().normalize();
        if (within.contains(path)) {
            problems.error(asked, subject, "includes itself: " + chain(within, path));
            return Map.of();
        }
        List<Path> now = new ArrayList<>(within);
        now.add(path);
        try {
            String text = decode(file, Files.readAllBytes(file));
            return merge(file, new PropertiesParser(file.toString(), problems).parse(text), now);
        } catch (NoSuchFileException e) {
            return unread(asked, subject, "there is no file " + file);
        } catch (IOException e) {
            return Files.isDirectory(file)
                    ? unread(asked, subject, file + " is a folder", "name a file in it")
                    : unread(asked, subject, "the file " + file + " cannot be read");
        }
    }

    private Map<String, Entry> unread(Origin at, String subject, String why, String... hints) {
        problems.error(at, subject, why, hints);
        isAllRead = false;
        return Map.of();
    }

    private Map<String, Entry> merge(Path file, List<Property> properties, List<Path> within) {
        Path parent = file.toAbsolutePath().normalize().getParent();
        Path directory = parent == null ? file : parent;
        Map<String, Entry> own = new LinkedHashMap<>();
        Map<String, Entry> merged = new LinkedHashMap<>();
        for (Property property : properties) {
            String key = property.key();
            Origin origin = new Origin.FileLine(file.toString(), property.line());
            if (key.equals(INCLUDE)) {
                for (String name : property.value().split(",", -1)) {
                    include(file, name.strip(), origin, within)
                            .values()
                            .forEach(entry -> addIncluded(merged, entry));
                }
            } else {
                own.put(key, new Entry(key, property.value(), origin, directory));
            }
        }
        merged.putAll(own);
        return merged;
    }

    private Map<String, Entry> include(Path from, String name, Origin origin, List<Path> within) {
        String subject = INCLUDE + " = " + name;
        if (name.isEmpty()) {
            problems.error(
                    origin, INCLUDE, "names no file", "example: config.include=shared.properties");
            return Map.of();
        }
        try {
            return read(from.resolveSibling(name).normalize(), origin, subject, within);
        } catch (InvalidPathException e) {
            return unread(origin, subject, "is not a path");
        }
    }

    private void addIncluded(Map<String, Entry> included, Entry entry) {
        Entry other = included.putIfAbsent(entry.key(), entry);
        if (other != null && !other.origin().equals(entry.origin())) {
            problems.error(
                    entry.origin(),
                    entry.key(),
                    "is set in two included files: at "
                            + other.origin().describe()
                            + " and at "
                            + entry.origin().describe(),
                    "remove one, or set it in the including file, which wins");
        }
    }

    private String decode(Path file, byte[] bytes) throws CharacterCodingException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            unread(
                    new Origin.FileLine(file.toString(), lineOf(bytes, in.position())),
                    "",
                    "is not UTF-8",
                    "save the file as UTF-8, or write the character as \\u and four digits");
            return "";
        }
        String text = out.flip().toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static int lineOf(byte[] bytes, int position) {
        int line = 1;
        for (int i = 0; i < position; i++) {
            boolean crlf = bytes[i] == '\r' && i + 1 < bytes.length && bytes[i + 1] == '\n';
            line += bytes[i] == '\n' || (bytes[i] == '\r' && !crlf) ? 1 : 0;
        }
        return line;
    }

    private static String chain(List<Path> within, Path again) {
        return Stream.concat(
                        within.subList(within.indexOf(again), within.size()).stream(),
                        Stream.of(again))
                .map(path -> String.valueOf(path.getFileName()))
                .collect(Collectors.joining(" -> "));
    }
}
