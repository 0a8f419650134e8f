package dev.envelope.integration.soak;

/**
 * One line of the verdict.
 *
 * <p>Threads: immutable.
 *
 * @param name as reports call it
 * @param meaning what it is about
 * @param found the figure, or what was found
 */
record Check(String name, String meaning, String found, boolean passed) {

    /** Something that must not be. */
    static Check none(String name, String meaning, long found) {
        return new Check(name, meaning, Long.toString(found), found == 0);
    }

    /** Something without which nothing was tried. */
    static Check some(String name, String meaning, long found) {
        return new Check(name, meaning, Long.toString(found), found > 0);
    }

    /** Something that must not grow by more than so much. */
    static Check growth(String name, String meaning, long before, long after, long allowed) {
        return new Check(
                name,
                meaning + ", at most " + allowed + " more than at the beginning",
                before + " → " + after,
                after - before <= allowed);
    }
}
