package dev.envelope.app.config.docs;

/** Renders what people read about the settings. */
public final class ConfigDocs {

    private ConfigDocs() {}

    /** The reference in Markdown, {@code docs/configuration.md}. */
    public static String reference() {
        return new ReferencePage().render();
    }

    /** A properties file with every setting, {@code config/consumer.properties}. */
    public static String sample() {
        return new SampleFile().render();
    }
}
