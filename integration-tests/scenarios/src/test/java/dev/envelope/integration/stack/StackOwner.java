package dev.envelope.integration.stack;

/** A process that starts a stack, says where, and waits to be ended from outside. */
final class StackOwner {

    /** What it says, followed by the folder. */
    static final String STARTED = "started in ";

    private StackOwner() {}

    public static void main(String[] arguments) throws InterruptedException {
        try (LocalStack stack = LocalStack.start()) {
            stack.postgres().pause();
            System.out.println(STARTED + stack.workspace().folder());
            Thread.currentThread().join();
        }
    }
}
