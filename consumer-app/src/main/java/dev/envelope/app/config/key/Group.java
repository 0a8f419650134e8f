package dev.envelope.app.config.key;

/** The groups of settings, in the order of the reference. */
public enum Group {
    /** Where messages come from, and what they look like. */
    READ("What to read"),
    /** What is done with a message. */
    HANDLE("What to do with it"),
    /** Where state is kept. */
    STORE("Where to store it"),
    /** What becomes records of other topics. */
    OUTPUTS("What to emit"),
    /** Commands and reads over HTTP. */
    GATEWAY("Commands and reads over HTTP"),
    /** Sizes, counts and times of the work. */
    LIMITS("How much at once"),
    /** What happens when something is wrong. */
    FAILURES("What to do when something is wrong"),
    /** How the process is run and watched. */
    OPERATIONS("Operations"),
    /** How these settings themselves are read. */
    SETTINGS("The settings themselves");

    private final String title;

    Group(String title) {
        this.title = title;
    }

    /** The heading of the group. */
    public String title() {
        return title;
    }
}
