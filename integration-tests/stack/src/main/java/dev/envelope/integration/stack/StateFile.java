package dev.envelope.integration.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How far a long run has come: words and counts, one {@code name=value} a line. The file is
 * replaced as a whole, so that a process which is killed leaves that of its last save.
 *
 * <p>Threads: one at a time.
 */
public final class StateFile {

    private final Path file;
    private final Map<String, String> values = new TreeMap<>();

    private StateFile(Path file) {
        this.file = file;
    }

    /** What was saved there, or nothing yet. */
    public static StateFile open(Path file) {
        StateFile state = new StateFile(file.toAbsolutePath());
        try {
            if (Files.exists(file)) {
                Files.readAllLines(file).forEach(state::read);
            }
            return state;
        } catch (IOException e) {
            throw new UncheckedIOException("the state can't be read: " + file, e);
        }
    }

    private void read(String line) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException(file + " is no state of a run: " + line);
        }
        values.put(line.substring(0, equals), line.substring(equals + 1));
    }

    /**
     * What the run is about, which may not change on its way.
     *
     * @param given as it is asked for now; empty for what it was before
     * @param otherwise where it is neither asked for nor known
     */
    public String pin(String name, String given, String otherwise) {
        String pinned = word(name, given.isEmpty() ? otherwise : given);
        if (!given.isEmpty() && !given.equals(pinned)) {
            throw new IllegalArgumentException(
                    "%s holds a run with %s %s, not %s: delete it, or name another file"
                            .formatted(file, name, pinned, given));
        }
        values.put(name, pinned);
        return pinned;
    }

    public String word(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** One more word behind those that are there, unless it is one of them. */
    public void addWord(String name, String word) {
        values.merge(
                name,
                word,
                (all, it) -> (' ' + all + ' ').contains(' ' + it + ' ') ? all : all + ' ' + it);
    }

    /** 0 where nothing was counted. */
    public long count(String name) {
        return Long.parseLong(word(name, "0"));
    }

    public void add(String name, long more) {
        values.put(name, Long.toString(count(name) + more));
    }

    /** Writes it down. */
    public void save() {
        try {
            Path folder = file.getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Path next = file.resolveSibling(file.getFileName() + ".next");
            Files.writeString(
                    next,
                    values.entrySet().stream()
                            .map(it -> it.getKey() + '=' + it.getValue() + '\n')
                            .collect(Collectors.joining()));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("the state can't be saved: " + file, e);
        }
    }

    /** Where it is. */
    public Path file() {
        return file;
    }
}
