package dev.envelope.app.config;

import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;

/** Reports problems of settings that were read, each with its value and its place. */
final class Findings {

    private final Settings settings;
    private final ProblemCollector problems;

    Findings(Settings settings, ProblemCollector problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void error(Key<?> key, String message, String... hints) {
        problems.error(settings.origin(key), subject(key), message, hints);
    }

    void warning(Key<?> key, String message, String... hints) {
        problems.warning(settings.origin(key), subject(key), message, hints);
    }

    /** Refuses a setting because of another, which is named with its place. */
    void error(Key<?> key, String message, Key<?> because, String... hints) {
        error(key, message + seen(because, key), hints);
    }

    void error(Setting setting, String message, String... hints) {
        problems.error(setting.origin(), subject(setting), message, hints);
    }

    void warning(Setting setting, String message, String... hints) {
        problems.warning(setting.origin(), subject(setting), message, hints);
    }

    private static String subject(Setting setting) {
        return Visible.subject(setting.name(), setting.shown());
    }

    /** Refuses settings with a message that names their values. */
    void conflict(Key<?> at, String message, String... hints) {
        problems.error(settings.origin(at), at.name(), message, hints);
    }

    /** The same, as a warning. */
    void doubt(Key<?> at, String message, String... hints) {
        problems.warning(settings.origin(at), at.name(), message, hints);
    }

    /**
     * Two settings, as seen from one of them: {@code a (5s, line 6) must be shorter than b (...)}.
     */
    String both(Key<?> at, Key<?> one, String between, Key<?> other) {
        return named(one, at) + " " + between + " " + named(other, at);
    }

    private String named(Key<?> key, Key<?> standing) {
        return String.format("%s (%s, %s)", key, shown(key), place(key, settings.origin(standing)));
    }

    /** The value of another setting with its place: {@code (handler=latest, line 3)}. */
    String seen(Key<?> other, Key<?> standing) {
        return seen(other, settings.origin(standing));
    }

    String seen(Key<?> other, Origin standing) {
        return String.format(" (%s=%s, %s)", other, shown(other), place(other, standing));
    }

    private String shown(Key<?> key) {
        return Visible.text(settings.shown(key));
    }

    private String place(Key<?> key, Origin standing) {
        return settings.origin(key).describeFrom(standing);
    }

    private String subject(Key<?> key) {
        return settings.effective(key.name()).map(Findings::subject).orElse(key.name());
    }
}
