package dev.envelope.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.api.Engine;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnobsTest {

    private final List<String> turned = new ArrayList<>();
    private final Engine engine =
            (Engine)
                    Proxy.newProxyInstance(
                            Engine.class.getClassLoader(),
                            new Class<?>[] {Engine.class},
                            (proxy, method, arguments) -> {
                                turned.add(method.getName() + " " + arguments[0]);
                                return null;
                            });

    @Test
    void whatIsTurnedBeforeThereIsAnEngineHoldsAsSoonAsThereIsOne() {
        Knobs knobs = new Knobs();
        knobs.resize(3);
        knobs.resize(5);
        knobs.limitKeys(100);

        knobs.attach(engine);

        assertThat(turned).containsExactly("resize 5", "limitKeys 100");
    }

    @Test
    void whatNobodyHasTurnedStaysAsTheSettingsHaveIt() {
        Knobs knobs = new Knobs();

        knobs.attach(engine);
        assertThat(turned).isEmpty();

        knobs.resize(2);
        assertThat(turned).containsExactly("resize 2");
    }
}
