package dev.envelope.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Turn;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingTurnTest {

    private static final Map<Class<?>, Object> ANSWERS =
            Map.of(
                    boolean.class,
                    true,
                    List.class,
                    List.of("an envelope"),
                    FoldGuard.class,
                    new Guard());

    /** One that is nobody else's. */
    private static final class Guard implements FoldGuard {
        @Override
        public void enter(Message message, Class<?> code) {}

        @Override
        public boolean leave() {
            return true;
        }
    }

    static Stream<Method> methods() {
        return Arrays.stream(Turn.class.getDeclaredMethods())
                .filter(it -> !it.isSynthetic()); // those that measure coverage
    }

    @ParameterizedTest
    @MethodSource("methods")
    void everyQuestionIsHandedOnAndItsAnswerBack(Method method) throws Exception {
        @Nullable Method[] asked = new Method[1];
        Turn turn =
                (Turn)
                        Proxy.newProxyInstance(
                                Turn.class.getClassLoader(),
                                new Class<?>[] {Turn.class},
                                (proxy, called, arguments) -> {
                                    asked[0] = called;
                                    return ANSWERS.get(called.getReturnType());
                                });

        @Nullable Object answer =
                method.invoke(
                        new ForwardingTurn(turn) {},
                        Arrays.stream(method.getParameterTypes())
                                .map(type -> type == int.class ? 3 : null)
                                .toArray());

        assertThat(asked[0]).isEqualTo(method);
        assertThat(answer).isEqualTo(ANSWERS.get(method.getReturnType()));
    }
}
