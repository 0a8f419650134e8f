package dev.envelope.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.handlers.HandlerRequest;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings that are read again while the process runs. */
class ReloadTest {

    @TempDir Path folder;

    private final List<Integer> sizes = new ArrayList<>();
    private final List<Secret> tokens = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private HeldSettings shown = new HeldSettings(List.of());

    private Settings load(String... more) {
        try {
            Path file = folder.resolve("app.properties");
            Files.writeString(
                    file,
                    """
                    application.id=balances
                    bootstrap.servers=localhost:9092
                    topics=payments
                    handler=latest
                    store.url=jdbc:postgresql://localhost/db
                    """
                            + String.join("\n", more)
                            + "\n");
            return new ConfigLoader(new Surroundings(Map.of(), 4, 4L << 30, folder))
                    .load(file, List.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> reload(String before, String after) {
        Settings held = load(before);
        shown = new HeldSettings(held.effective());
        return new Reload(held, () -> load(after), takers(), told::add, shown).get();
    }

    private Map<Key<?>, Consumer<Settings>> takers() {
        return Map.of(
                LimitKeys.POOL_SIZE,
                next -> sizes.add(next.get(LimitKeys.POOL_SIZE)),
                HandlerKeys.HANDLER_DROP,
                next -> givenUp.are(HandlerWiring.givenUp(next)),
                OperationKeys.HTTP_TOKEN,
                next -> tokens.add(next.get(OperationKeys.HTTP_TOKEN)));
    }

    private final GivenUpFields givenUp = new GivenUpFields();

    private Setting shown(String name) {
        return shown.all().stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void workersAreTakenOverAtOnce() {
        assertThat(reload("pool.size=4", "pool.size=8")).containsExactly("pool.size 4 -> 8");
        assertThat(sizes).containsExactly(8);
        assertThat(told).containsExactly("settings were read again: pool.size 4 -> 8");
        assertThat(shown("pool.size").shown()).isEqualTo("8");
        assertThat(shown("pool.size").origin().describe()).endsWith("app.properties:6");
    }

    @Test
    void anotherTokenIsTakenOverAndNeverShown() {
        String before = "http.token=0123456789abcdef\n";
        assertThat(reload(before, before)).containsExactly("nothing has changed");

        assertThat(reload(before, "http.token=fedcba9876543210"))
                .containsExactly("http.token has another value");

        assertThat(tokens).containsExactly(new Secret("fedcba9876543210"));
        assertThat(reload("store.user=u\nstore.password=a", "store.user=u\nstore.password=b"))
                .containsExactly("store.password has another value, which wants a restart");
    }

    @Test
    void whatWantsARestartIsNamedAndSaidOnce() {
        shown = new HeldSettings(load().effective());
        Reload reload =
                new Reload(load(), () -> load("commit.interval=2s"), takers(), told::add, shown);

        assertThat(reload.get()).containsExactly("commit.interval 1s -> 2s, which wants a restart");
        assertThat(reload.get()).containsExactly("nothing has changed");
        assertThat(sizes).isEmpty();
        assertThat(told)
                .containsExactly(
                        "settings were read again: commit.interval 1s -> 2s, which wants a restart");
        assertThat(shown("commit.interval").shown()).isEqualTo("1s");
    }

    @Test
    void fieldsOfStatesAreGivenUpWhileItRuns() {
        StateCodec<?> codec =
                Handlers.resolve(
                                new HandlerRequest(
                                        "fold",
                                        Map.of("n", "count()"),
                                        Map.of(),
                                        List.of(),
                                        "json",
                                        Map.of(),
                                        givenUp))
                        .stateCodec();
        byte[] state = "{\"n\":3,\"sum\":1}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> codec.decode(state)).isInstanceOf(UnreadableStateException.class);

        assertThat(reload("pool.size=4", "pool.size=4\nhandler.drop=sum"))
                .containsExactly("handler.drop (unset) -> sum");
        assertThat(codec.decode(state)).isNotNull();
    }

    @Test
    void settingsWithAProblemChangeNothing() {
        assertThat(reload("pool.size=4", "pool.size=many").get(0))
                .startsWith("refused, nothing is changed")
                .contains("pool.size = many");
        assertThat(sizes).isEmpty();
    }
}
