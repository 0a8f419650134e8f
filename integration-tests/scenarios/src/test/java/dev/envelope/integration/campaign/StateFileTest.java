package dev.envelope.integration.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.stack.StateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {

    @TempDir private Path folder;

    @Test
    void whatWasSavedIsThereForTheNext() throws IOException {
        Path file = folder.resolve("made/when/it/is/saved");
        StateFile first = StateFile.open(file);
        first.add("kills", 20);
        first.add("kills", 5);
        first.addWord("commits", "a1");
        first.addWord("commits", "b2");
        first.addWord("commits", "a1");
        first.save();
        first.add("kills", 1_000); // and is killed

        StateFile second = StateFile.open(file);

        assertThat(second.count("kills")).isEqualTo(25);
        assertThat(second.word("commits", "")).isEqualTo("a1 b2");
        assertThat(second.count("never counted")).isZero();
        assertThat(Files.readString(file)).isEqualTo("commits=a1 b2\nkills=25\n");
    }

    @Test
    void whatItIsAboutIsNotChangedOnTheWay() {
        Path file = folder.resolve("state");
        StateFile first = StateFile.open(file);
        assertThat(first.pin("protocol", "classic", "both")).isEqualTo("classic");
        assertThat(first.pin("from", "", "1")).isEqualTo("1");
        first.save();

        StateFile second = StateFile.open(file);

        assertThat(second.pin("protocol", "", "both")).isEqualTo("classic");
        assertThatThrownBy(() -> second.pin("protocol", "both", "both"))
                .hasMessageContaining("protocol classic, not both")
                .hasMessageContaining(file.toString());
    }

    @Test
    void aFileThatIsNoneIsNotOverwritten() throws IOException {
        Path file = Files.writeString(folder.resolve("notes"), "remember the milk\n");

        assertThatThrownBy(() -> StateFile.open(file)).hasMessageContaining("remember the milk");
    }
}
