package dev.envelope.integration.architecture;

import static dev.envelope.integration.architecture.Rules.OF_THE_PRODUCT;

import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How much a class asks for, remembers and is tied up with. */
class ShapesTest {

    private static final Set<String> ASK_FOR_MORE =
            Set.of("dev.envelope.core.assignment.Positioning");

    private static final Set<String> CHANGE_MORE =
            Set.of(
                    "dev.envelope.app.commands.parked.ParkedBulk",
                    "dev.envelope.core.assignment.AssignedPartition",
                    "dev.envelope.core.offset.OffsetLedger",
                    "dev.envelope.idempotency.store.cache.SnapshotCache$Entry"); // links of a list

    private static final Set<String> IN_CIRCLES =
            Set.of(
                    "dev.envelope.app.config.layer.Entry",
                    "dev.envelope.app.config.layer.FileModes",
                    "dev.envelope.app.config.layer.References",
                    "dev.envelope.app.wiring.ApplicationWiring",
                    "dev.envelope.app.wiring.EngineWiring",
                    "dev.envelope.app.wiring.HandlerWiring");

    @Test
    void constructorsAskForAtMostSevenThings() {
        holds(OF_THE_PRODUCT.constructorsAskForAtMostSevenThings(), ASK_FOR_MORE);
    }

    @Test
    void noClassHasMoreThanSixFieldsThatChange() {
        holds(OF_THE_PRODUCT.noClassHasMoreThanSixFieldsThatChange(), CHANGE_MORE);
    }

    @Test
    void ofAPackageNoMoreThanTwoClassesNeedEachOtherInACircle() {
        holds(OF_THE_PRODUCT.ofAPackageNoMoreThanTwoClassesNeedEachOtherInACircle(), IN_CIRCLES);
    }

    private static void holds(ArchRule rule, Set<String> exceptions) {
        Exceptions.hold(
                rule.evaluate(ProductClasses.ALL).getFailureReport().getDetails(), exceptions);
    }
}
