package dev.envelope.integration.soak;

/** Something that breaks, and is mended again. */
@FunctionalInterface
interface Breakage {

    /**
     * Breaks it, waits, and mends it.
     *
     * @return whether work was under way, and met it
     */
    boolean strike(Scene scene);
}
