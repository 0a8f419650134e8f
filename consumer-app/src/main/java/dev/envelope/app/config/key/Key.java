package dev.envelope.app.config.key;

import dev.envelope.app.config.value.ValueType;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A setting: its name, its type and all that is said about it.
 *
 * <p>Threads: immutable.
 */
public final class Key<T> {

    private final Draft<T> is;

    private Key(Draft<T> draft) {
        this.is = draft;
    }

    static <T> Draft<T> named(String name, ValueType<T> type) {
        return new Draft<>(name, type);
    }

    /** The name, as it stands in the file. */
    public String name() {
        return is.name;
    }

    /** What its text may be. */
    public ValueType<T> type() {
        return is.type;
    }

    /** What it is about. */
    public Group group() {
        return is.group;
    }

    /** Whether nothing starts without it. */
    public boolean required() {
        return is.required;
    }

    /** The text that holds when nobody sets it; empty when there is none. */
    public Optional<String> defaultText(Surroundings surroundings) {
        return is.defaultText == null
                ? Optional.empty()
                : Optional.of(is.defaultText.apply(surroundings));
    }

    /** The default in words; empty when there is none. */
    public Optional<String> defaultInWords() {
        return Optional.ofNullable(is.defaultInWords);
    }

    /** One sentence that says what it is. */
    public String meaning() {
        return is.meaning;
    }

    /** When a larger value helps; empty where that is no question. */
    public Optional<String> raiseIf() {
        return Optional.ofNullable(is.raiseIf);
    }

    /** When a smaller value helps; empty where that is no question. */
    public Optional<String> lowerIf() {
        return Optional.ofNullable(is.lowerIf);
    }

    /** A text that is allowed and sensible. */
    public String example() {
        return is.example == null ? String.valueOf(is.defaultInWords) : is.example;
    }

    /** The version that first had it. */
    public String since() {
        return is.since;
    }

    /** Whether a running process takes a new value. */
    public boolean reloadable() {
        return is.reloadable;
    }

    /** Whether it is one of the few that most people come to set. */
    public boolean matters() {
        return is.matters;
    }

    @Override
    public String toString() {
        return is.name;
    }

    /** A setting that is being written down; what is left out has no value. */
    static final class Draft<T> {

        private final String name;
        private final ValueType<T> type;
        private Group group = Group.SETTINGS;
        private String meaning = "";
        private String since = "0.1.0";
        private boolean required;
        private boolean reloadable;
        private boolean matters;
        private @Nullable Function<Surroundings, String> defaultText;
        private @Nullable String defaultInWords;
        private @Nullable String raiseIf;
        private @Nullable String lowerIf;
        private @Nullable String example;

        private Draft(String name, ValueType<T> type) {
            this.name = name;
            this.type = type;
        }

        Draft<T> required() {
            this.required = true;
            return this;
        }

        Draft<T> orElse(String text) {
            return orElse(text, surroundings -> text);
        }

        Draft<T> orElse(String inWords, Function<Surroundings, String> text) {
            this.defaultInWords = inWords;
            this.defaultText = text;
            return this;
        }

        /** A default that is found only when all other settings are known. */
        Draft<T> orElseDerived(String inWords) {
            this.defaultInWords = inWords;
            return this;
        }

        Draft<T> example(String text) {
            this.example = text;
            return this;
        }

        Draft<T> raiseIf(String when) {
            this.raiseIf = when;
            return this;
        }

        Draft<T> lowerIf(String when) {
            this.lowerIf = when;
            return this;
        }

        Draft<T> since(String version) {
            this.since = version;
            return this;
        }

        Draft<T> reloadable() {
            this.reloadable = true;
            return this;
        }

        Draft<T> matters() {
            this.matters = true;
            return this;
        }

        Key<T> means(Group about, String sentence) {
            this.group = about;
            this.meaning = sentence;
            return new Key<>(this);
        }
    }
}
