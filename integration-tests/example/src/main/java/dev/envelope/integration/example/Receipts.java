package dev.envelope.integration.example;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.work.NoRetryException;
import dev.envelope.idempotency.work.Work;
import dev.envelope.integration.example.Balances.Payment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

// region receipts
/** Writes a file for each payment, with {@code mode=work}. */
public final class Receipts implements Work<Payment> {

    private final Path folder;

    /**
     * @param config the settings {@code handler.config.*}
     */
    public Receipts(Map<String, String> config) {
        folder = Path.of(config.getOrDefault("folder", "receipts"));
    }

    @Override
    public void run(@Nullable Payment payment, Message message) throws IOException {
        if (payment == null) {
            throw new NoRetryException("a receipt needs a payment"); // on.failure decides at once
        } else if (!Files.isDirectory(folder)) {
            throw new UnavailableException(folder + " is not mounted"); // it waits
        }
        byte[] text = (message.key() + " " + payment.cents()).getBytes(StandardCharsets.UTF_8);
        Path half = Files.write(Files.createTempFile(folder, "half", ""), text);
        // A message may come again; then the same file is written again.
        Path whole = folder.resolve(message + "@" + message.leaderEpoch() + ".txt");
        Files.move(half, whole, StandardCopyOption.ATOMIC_MOVE);
    }
}
// end region
