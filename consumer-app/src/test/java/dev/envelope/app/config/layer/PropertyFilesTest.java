package dev.envelope.app.config.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PropertyFilesTest {

    @TempDir Path directory;

    private final ProblemCollector problems = new ProblemCollector();

    @BeforeEach
    void aFolderInside() throws IOException {
        Files.createDirectory(directory.resolve("shared"));
    }

    private Map<String, Entry> read(String name) {
        return new PropertyFiles(problems).read(directory.resolve(name));
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    private String printed() {
        return problems.problems().render().replace(directory + "/", "");
    }

    @Test
    void whatAFileSaysItselfWinsOverWhatItIncludes() throws IOException {
        write("a", "x=mine\nconfig.include=shared/b\n");
        write("shared/b", "x=theirs\ny=theirs\nconfig.include=c\n");
        write("shared/c", "z=of c\n");
        Map<String, Entry> entries = read("a");
        assertThat(entries).containsOnlyKeys("x", "y", "z");
        assertThat(entries.get("x")).extracting(Entry::text).isEqualTo("mine");
        assertThat(entries.get("z"))
                .extracting(entry -> entry.origin().describe())
                .isEqualTo(directory.resolve("shared/c") + ":1");
        assertThat(printed()).isEmpty();
    }

    @Test
    void relativePathsInAnIncludedFileStartThere() throws IOException {
        write("a", "config.include=shared/b");
        write("shared/b", "y=1");
        assertThat(read("a").get("y"))
                .extracting(Entry::directory)
                .isEqualTo(directory.resolve("shared"));
    }

    @Test
    void filesThatIncludeEachOtherAreRefused() throws IOException {
        write("a", "\nconfig.include=b");
        write("b", "config.include=a");
        read("a");
        assertThat(printed()).contains("b:1  config.include = a\n    includes itself: a -> b -> a");
    }

    @Test
    void twoIncludedFilesThatSetTheSameKeyAreRefused() throws IOException {
        write("a", "config.include=b,c");
        write("b", "x=1");
        write("c", "\nx=2");
        read("a");
        assertThat(printed())
                .containsPattern(
                        "c:2 {2}x\n    is set in two included files: at b:1 and at\\s+c:2");
    }

    @Test
    void aFileThatIsReachedTwiceIsNoConflict() throws IOException {
        write("a", "config.include=b,c");
        write("b", "config.include=common");
        write("c", "config.include=common");
        write("common", "x=1");
        assertThat(read("a")).containsOnlyKeys("x");
        assertThat(printed()).isEmpty();
    }

    @Test
    void anIncludedFileThatIsMissingIsNamedAtItsLine() throws IOException {
        write("a", "\n\nconfig.include=nowhere");
        read("a");
        assertThat(printed()).contains("a:3  config.include = nowhere\n    there is no file");
    }

    @Test
    void aMissingFileIsAProblemAndNoException() {
        assertThat(read("nowhere")).isEmpty();
        assertThat(printed()).contains("nowhere\n    there is no file");
    }

    @Test
    void aFolderInPlaceOfAFileIsAProblemAndNoException() {
        assertThat(read("shared")).isEmpty();
        assertThat(printed()).contains("shared is a folder").contains("-> name a file in it");
    }

    @Test
    void otherEncodingsAreRefusedAtTheirLine() throws IOException {
        Files.write(
                directory.resolve("a"),
                "x=1\r\ny=M\u00fcller\n".getBytes(StandardCharsets.ISO_8859_1));
        read("a");
        assertThat(printed()).contains("a:2\n    is not UTF-8");
    }

    @Test
    void theMarkThatWindowsPutsFirstIsSkipped() throws IOException {
        write("a", "\uFEFFx=1");
        assertThat(read("a")).containsOnlyKeys("x");
    }
}
