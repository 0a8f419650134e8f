package dev.envelope.integration.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * What breaks a rule so far, by name. A name that is not needed any more is a failure, too: so the
 * lists only shrink.
 */
final class Exceptions {

    private Exceptions() {}

    /**
     * Checks what was found.
     *
     * @param breaches each a line, the first word of which is a name
     */
    static void hold(Collection<String> breaches, Set<String> exceptions) {
        Set<String> unexpected = new TreeSet<>();
        Set<String> needless = new TreeSet<>(exceptions);
        for (String breach : breaches) {
            String name = breach.split(" ", 2)[0];
            needless.remove(name);
            if (!exceptions.contains(name)) {
                unexpected.add(breach);
            }
        }
        assertThat(unexpected).as("what breaks the rule").isEmpty();
        assertThat(needless).as("exceptions that are not needed any more").isEmpty();
    }
}
