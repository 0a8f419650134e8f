package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.HANDLE;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.key.Key.Trait.RELOADABLE;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Types.oneOfOrClass;
import static dev.envelope.app.config.value.Types.text;
import static dev.envelope.app.config.value.Types.texts;

import dev.envelope.app.config.value.Choice;
import java.time.Duration;
import java.util.List;

/** The settings that say what is done with a message. */
public final class HandlerKeys {

    /** A handler that needs no code. */
    public enum BuiltInHandler {
        /** Fields that are folded by expressions. */
        FOLD,
        /** The latest document of each key. */
        LATEST,
        /** Each value is posted to a server; with {@code mode=work}. */
        HTTP
    }

    static final Keys KEYS = new Keys(HANDLE);

    public static final Key<Choice<BuiltInHandler>> HANDLER =
            KEYS.required("handler", oneOfOrClass(BuiltInHandler.class))
                    .example("fold")
                    .means(
                            "What turns a state and a message into the next state: fold (the fields"
                                    + " of handler.fold.*), latest (the latest document of each"
                                    + " key), or a class of your own. With mode=work: http (posts each"
                                    + " value to handler.http.url), or a class of your own.");

    public static final Key<String> HANDLER_VERSION =
            KEYS.add("handler.version", text())
                    .example("2")
                    .is(OF_ROWS)
                    .means(
                            "A name for the meaning of the state's fields. The first start"
                                    + " stores it; a start with another name, or none, is refused"
                                    + " until envelope pin confirms it. Change it when a field gets"
                                    + " another meaning. Changed expressions of handler=fold are"
                                    + " detected without it.");

    public static final Key<List<String>> HANDLER_PATH =
            KEYS.add("handler.path", texts("list of paths"))
                    .example("handlers/orders.jar")
                    .means(
                            "Jar files and directories in which a handler or a deserializer"
                                    + " of your own is found, beside the class path; a relative path"
                                    + " starts at the file that sets it.");

    public static final Key<Duration> HANDLER_TIMEOUT =
            KEYS.add("handler.timeout", duration("100ms", "1h"), "15s")
                    .raiseIf("a message may rightly take longer")
                    .means(
                            "How long the handler may take for one message. Then its thread"
                                    + " is interrupted, and the attempt has failed, whatever it throws"
                                    + " or returns. If it ignores that for 5 s, another worker is"
                                    + " started in its place, at most pool.size times; beyond that the"
                                    + " process is not ready.");

    public static final Key<List<String>> HANDLER_DROP =
            KEYS.add("handler.drop", texts("list of fields"))
                    .example("sum")
                    .is(RELOADABLE, OF_ROWS)
                    .means(
                            "Fields of states that no expression has any more and that are"
                                    + " given up: the next save of each key drops them. Without it, a"
                                    + " key whose state has an unknown field waits for a process that"
                                    + " knows the field (on.other.version).");

    private HandlerKeys() {}
}
