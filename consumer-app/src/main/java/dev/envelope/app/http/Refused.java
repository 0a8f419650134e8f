package dev.envelope.app.http;

/** A request is refused, with the reason. */
public final class Refused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * @param status the HTTP status
     */
    public Refused(int status, String why) {
        super(why);
        this.status = status;
    }

    public static Refused badRequest(String why) {
        return new Refused(400, why);
    }

    public static Refused notFound(String why) {
        return new Refused(404, why);
    }

    public static Refused conflict(String why) {
        return new Refused(409, why);
    }

    /** The answer to the caller. */
    public Answer answer() {
        return Answer.problem(status, String.valueOf(getMessage()));
    }
}
