package dev.envelope.app.config.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RegistryTest {

    private static final Surroundings MACHINE =
            new Surroundings(Map.of(), 64, 1L << 30, Path.of(""));

    @Test
    void everyKeyThatIsDeclaredIsListed() throws IllegalAccessException {
        List<Object> declared = new ArrayList<>();
        for (Class<?> holder :
                List.of(
                        ReadKeys.class,
                        TableKeys.class,
                        SlotKeys.class,
                        HandlerKeys.class,
                        WorkKeys.class,
                        StoreKeys.class,
                        OutputKeys.class,
                        GatewayKeys.class,
                        LimitKeys.class,
                        FailureKeys.class,
                        OutboxKeys.class,
                        OperationKeys.class)) {
            for (Field field : holder.getDeclaredFields()) {
                if (field.getType() == Key.class) {
                    declared.add(field.get(null));
                }
            }
        }
        assertThat(Registry.keys()).hasSameElementsAs(new ArrayList<Key<?>>(cast(declared)));
    }

    private static List<Key<?>> cast(List<Object> keys) {
        List<Key<?>> cast = new ArrayList<>();
        keys.forEach(key -> cast.add((Key<?>) key));
        return cast;
    }

    @Test
    void defaultsAndExamplesAreValuesOfTheirType() {
        assertThat(Registry.keys())
                .allSatisfy(
                        key -> {
                            assertThatCode(() -> key.type().parse(key.example()))
                                    .as(key.name())
                                    .doesNotThrowAnyException();
                            key.defaultText(MACHINE)
                                    .ifPresent(
                                            text ->
                                                    assertThatCode(() -> key.type().parse(text))
                                                            .as(key.name())
                                                            .doesNotThrowAnyException());
                        });
    }

    @Test
    void whatIsRequiredHasNoDefault() {
        assertThat(Registry.keys().stream().filter(Key::required))
                .extracting(Key::name)
                .containsExactly(
                        "application.id", "bootstrap.servers", "topics", "handler", "store.url");
        assertThat(Registry.keys().stream().filter(Key::required))
                .allMatch(key -> key.defaultInWords().isEmpty());
    }

    @Test
    void everyMeaningIsOneSentence() {
        assertThat(Registry.keys())
                .allMatch(key -> key.meaning().matches("[A-Z].*\\."), "ends with a full stop");
        assertThat(Registry.keys())
                .allMatch(key -> key.raiseIf().filter(when -> when.endsWith(".")).isEmpty());
    }

    @Test
    void namesDoNotCollideAsVariablesOrWithFamilies() {
        assertThat(Registry.names().stream().map(name -> name.replace('.', '_')))
                .doesNotHaveDuplicates();
        assertThat(Registry.names()).allMatch(name -> name.matches("[a-z]+(\\.[a-z]+)*"));
        assertThat(Registry.names())
                .noneMatch(name -> Registry.prefixes().stream().anyMatch(name::startsWith));
    }

    @Test
    void thePoolHasAWorkerForEachCoreAndAtLeastTwo() {
        assertThat(LimitKeys.POOL_SIZE.defaultText(MACHINE)).contains("64");
        assertThat(
                        LimitKeys.POOL_SIZE.defaultText(
                                new Surroundings(Map.of(), 1, 1L << 30, Path.of(""))))
                .contains("2");
    }
}
