package dev.envelope.integration.example;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.work.WorkBatch;
import dev.envelope.integration.example.Balances.Payment;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

// region book
/** Writes the payments that wait at the same time with one write, with {@code mode=work}. */
public final class ReceiptBook implements WorkBatch<Payment> {

    private final Path book;

    /**
     * @param config the settings {@code handler.config.*}
     */
    public ReceiptBook(Map<String, String> config) {
        book = Path.of(config.getOrDefault("book", "receipts.txt"));
    }

    @Override
    public void run(List<Item<Payment>> batch) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Item<Payment> each : batch) { // a line may be there twice: its beginning tells
            lines.add(each.message() + " " + each.value());
        }
        try {
            Files.write(book, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (FileSystemException e) {
            throw new UnavailableException(book + " can't be written", e); // all wait
        }
    }
}
// end region
