package dev.envelope.integration.architecture;

import static dev.envelope.integration.architecture.Rules.OF_THE_PRODUCT;

import org.junit.jupiter.api.Test;

/** Calls that would let the clock, chance or a stranger's bytes decide what the engine does. */
class ForbiddenCallsTest {

    @Test
    void hiddenInputsAreOnlyWhereThingsArePutTogether() {
        OF_THE_PRODUCT.hiddenInputsAreOnlyWhereThingsArePutTogether().check(ProductClasses.ALL);
    }

    @Test
    void noBytesAreTurnedIntoObjectsByTheirOwnWord() {
        OF_THE_PRODUCT.noBytesAreTurnedIntoObjectsByTheirOwnWord().check(ProductClasses.ALL);
    }
}
