package dev.envelope.app.config.key;

import dev.envelope.app.config.value.ValueType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A setting: its name, its type, and its texts for the reference.
 *
 * <p>Threads: immutable once the class that declares it is initialized; only that class adds to it.
 */
public final class Key<T> {

    enum Trait {
        REQUIRED,
        RELOADABLE,
        MATTERS,
        OF_ROWS,
        OF_STORE,
        OF_TOPICS,
        OF_BROKERS
    }

    private enum Words {
        DEFAULT,
        EXAMPLE,
        RAISE_IF,
        LOWER_IF,
        MEANING
    }

    private static final Set<Group> GROUPS_OF_ROWS =
            EnumSet.of(Group.STORE, Group.OUTPUTS, Group.GATEWAY);

    private final String name;
    private final ValueType<T> type;
    private final Group group;
    private final Function<Surroundings, Optional<String>> defaultText;
    private final Map<Words, String> words = new EnumMap<>(Words.class);
    private final Set<Trait> traits = EnumSet.noneOf(Trait.class);
    private final List<Relation<T>> relations = new ArrayList<>();

    Key(
            String name,
            ValueType<T> type,
            Group group,
            Function<Surroundings, Optional<String>> defaultText) {
        this.name = name;
        this.type = type;
        this.group = group;
        this.defaultText = defaultText;
    }

    Key<T> orElse(String inWords) {
        return say(Words.DEFAULT, inWords);
    }

    Key<T> example(String text) {
        return say(Words.EXAMPLE, text);
    }

    Key<T> raiseIf(String when) {
        return say(Words.RAISE_IF, when);
    }

    Key<T> lowerIf(String when) {
        return say(Words.LOWER_IF, when);
    }

    Key<T> means(String sentence) {
        return say(Words.MEANING, sentence);
    }

    Key<T> is(Trait... all) {
        Collections.addAll(traits, all);
        return this;
    }

    Key<T> must(Relation<T> relation) {
        relations.add(relation);
        return this;
    }

    private Key<T> say(Words what, String text) {
        words.put(what, text);
        return this;
    }

    private Optional<String> said(Words what) {
        return Optional.ofNullable(words.get(what));
    }

    /** The name, as in the file. */
    public String name() {
        return name;
    }

    /** The type of its value. */
    public ValueType<T> type() {
        return type;
    }

    /** The group that it belongs to. */
    public Group group() {
        return group;
    }

    /** Whether it must be set. */
    public boolean required() {
        return traits.contains(Trait.REQUIRED);
    }

    /** Whether a running process can take over a new value. */
    public boolean reloadable() {
        return traits.contains(Trait.RELOADABLE);
    }

    /** Whether it is one of the few that most users set. */
    public boolean matters() {
        return traits.contains(Trait.MATTERS);
    }

    /** Whether it means nothing to a handler that keeps no rows. */
    public boolean isOfRows() {
        return traits.contains(Trait.OF_ROWS)
                || traits.contains(Trait.OF_STORE)
                || GROUPS_OF_ROWS.contains(group);
    }

    /** Whether it means something wherever there is a database, with rows or without. */
    public boolean isOfStore() {
        return traits.contains(Trait.OF_STORE)
                || (group == Group.STORE && !traits.contains(Trait.OF_ROWS));
    }

    /** Whether it means nothing where a table is read. */
    public boolean isOfTopics() {
        return traits.contains(Trait.OF_TOPICS) || group == Group.GATEWAY;
    }

    /** Whether it means nothing where no broker is named, as with a table there need be none. */
    public boolean isOfBrokers() {
        return traits.contains(Trait.OF_BROKERS) || group == Group.OUTPUTS;
    }

    /** The text of the default; empty when there is none. */
    public Optional<String> defaultText(Surroundings surroundings) {
        return defaultText.apply(surroundings);
    }

    /** The default in words; empty when there is none. */
    public Optional<String> defaultInWords() {
        return said(Words.DEFAULT);
    }

    /** Its meaning, in one sentence. */
    public String meaning() {
        return said(Words.MEANING).orElse("");
    }

    /** When a larger value helps; empty if that does not apply. */
    public Optional<String> raiseIf() {
        return said(Words.RAISE_IF);
    }

    /** When a smaller value helps; empty if that does not apply. */
    public Optional<String> lowerIf() {
        return said(Words.LOWER_IF);
    }

    /** A text that is allowed and sensible. */
    public String example() {
        return said(Words.EXAMPLE).or(this::defaultInWords).orElse("");
    }

    /** The conditions between it and other settings. */
    public List<Relation<T>> relations() {
        return List.copyOf(relations);
    }

    /** The version that first had it; so far there is one. */
    public String since() {
        return "0.1.0";
    }

    @Override
    public String toString() {
        return name;
    }
}
