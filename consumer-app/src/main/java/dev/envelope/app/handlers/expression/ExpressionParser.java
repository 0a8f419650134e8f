package dev.envelope.app.handlers.expression;

import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.handlers.expression.Condition.Operator;
import dev.envelope.idempotency.json.Brief;
import dev.envelope.idempotency.json.PointerReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses expressions, and gives every pointer in them a place.
 *
 * <pre>
 * expression = function "(" [ pointer [ "," bound ] ] ")" [ "where" condition ]
 * condition  = pointer "exists" | pointer operator literal
 * operator   = "=" | "!=" | "&lt;" | "&lt;=" | "&gt;" | "&gt;="
 * literal    = number | text in quotes | "true" | "false"
 * </pre>
 *
 * A pointer with a blank or a sign in it is put in quotes. Quotes are single or double; a backslash
 * escapes the next character.
 *
 * <p>Threads: actor, one at a time.
 */
public final class ExpressionParser {

    private static final Pattern NUMBER =
            Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?");

    private final List<String> pointers = new ArrayList<>();

    /** All pointers so far; each one's index is its place. */
    public List<String> pointers() {
        return List.copyOf(pointers);
    }

    /**
     * Parses one expression.
     *
     * @throws IllegalArgumentException with the column of the mistake and what is expected
     */
    public Expression parse(String name, String text) {
        Cursor cursor = new Cursor(text);
        Function function = function(cursor);
        cursor.expect("(", "an opening parenthesis");
        String pointer = cursor.isAt(")") ? null : pointer(cursor);
        int bound = Function.DEFAULT_BOUND;
        if (pointer == null && function != Function.COUNT) {
            throw cursor.expected("a JSON pointer, as in %s(/amount)".formatted(function.word()));
        }
        if (pointer != null && cursor.skip(",")) {
            bound = bound(cursor, function);
        }
        cursor.expect(")", "a closing parenthesis");
        int place = place(pointer);
        Condition where = condition(cursor);
        return new Expression(name, function, place, pointer == null ? "" : pointer, bound, where);
    }

    private static Function function(Cursor cursor) {
        int at = cursor.next();
        String word = cursor.word();
        for (Function function : Function.values()) {
            if (function.word().equals(word)) {
                return function;
            }
        }
        List<String> near = Nearest.to(word, Function.WORDS);
        String hint = near.isEmpty() ? "" : "; did you mean " + near.get(0) + "?";
        cursor.returnTo(at);
        throw cursor.expected("one of " + String.join(", ", Function.WORDS), hint);
    }

    private static String pointer(Cursor cursor) {
        int at = cursor.next();
        String pointer = cursor.term();
        if (cursor.next() == at) {
            throw cursor.expected("a JSON pointer, as in /amount");
        }
        try {
            PointerReader.check(pointer);
            return pointer;
        } catch (IllegalArgumentException e) {
            cursor.returnTo(at);
            throw cursor.wrong(String.valueOf(e.getMessage()));
        }
    }

    private static int bound(Cursor cursor, Function function) {
        if (function != Function.DISTINCT) {
            throw cursor.wrong("only distinct takes a bound");
        }
        int at = cursor.next();
        String digits = cursor.isAtQuote() ? "" : cursor.term();
        int bound = digits.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(digits) : 0;
        if (bound < 1 || bound > Function.MAX_BOUND) {
            cursor.returnTo(at);
            throw cursor.expected("a bound from 1 to " + Function.MAX_BOUND);
        }
        return bound;
    }

    private @Nullable Condition condition(Cursor cursor) {
        if (cursor.isAtEnd()) {
            return null;
        }
        cursor.expect("where", "where, or the end");
        String pointer = pointer(cursor);
        Operator operator = operator(cursor);
        Object literal = operator == Operator.EXISTS ? "" : literal(cursor);
        if (operator.isOrdering() && literal instanceof Boolean) {
            throw cursor.wrong("true and false are compared with = or != only");
        }
        if (!cursor.isAtEnd()) {
            throw cursor.expected("the end");
        }
        return new Condition(place(pointer), pointer, operator, literal);
    }

    private static Operator operator(Cursor cursor) {
        return Arrays.stream(Operator.values())
                .filter(operator -> cursor.skip(operator.sign()))
                .findFirst()
                .orElseThrow(() -> cursor.expected("one of =, !=, <, <=, >, >=, exists"));
    }

    private static Object literal(Cursor cursor) {
        if (cursor.isAtQuote()) {
            return cursor.term();
        }
        int at = cursor.next();
        String word = cursor.term();
        if (word.equals("true") || word.equals("false")) {
            return word.equals("true");
        } else if (word.length() <= Scalar.MAX_PLACES && NUMBER.matcher(word).matches()) {
            return new BigDecimal(word);
        }
        cursor.returnTo(at);
        if (word.equals("null")) {
            throw cursor.wrong("null counts as missing; to ask for a value write: exists");
        }
        throw cursor.expected(
                "a number, true, false or a text in quotes",
                word.isEmpty() ? "" : "; if it is a text write: \"" + Brief.text(word) + '"');
    }

    private int place(@Nullable String pointer) {
        if (pointer == null) {
            return Expression.NO_PLACE;
        }
        int place = pointers.indexOf(pointer);
        if (place < 0) {
            place = pointers.size();
            pointers.add(pointer);
        }
        return place;
    }
}
