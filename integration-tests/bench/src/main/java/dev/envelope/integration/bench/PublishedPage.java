package dev.envelope.integration.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The part of docs/performance.md that a run writes: what stands between two markers, and nothing
 * else of it.
 *
 * <p>Threads: immutable.
 *
 * @param docs the folder of the documents
 */
record PublishedPage(Path docs) {

    static final String TABLES = "table.md";
    static final String PAGE = "performance.html";
    static final String BEGIN = "<!-- begin of what scripts/bench has written -->";
    static final String END = "<!-- end of what scripts/bench has written -->";

    private static final String DOCUMENT = "performance.md";

    /** Puts in the result that lies in a folder. */
    void replace(Path folder) throws IOException {
        Path document = docs.resolve(DOCUMENT);
        String tables = Files.readString(folder.resolve(TABLES));
        Files.writeString(document, replaced(Files.readString(document), tables));
        Path page = folder.resolve(PAGE);
        if (Files.exists(page)) {
            Files.writeString(docs.resolve(PAGE), Files.readString(page));
        }
    }

    /**
     * The document with other text between its markers.
     *
     * @throws IllegalArgumentException if it has not both of them, in their order
     */
    static String replaced(String document, String text) {
        int begin = document.indexOf(BEGIN);
        int end = document.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("no markers: " + BEGIN + " … " + END);
        }
        return document.substring(0, begin + BEGIN.length())
                + "\n\n"
                + text.strip()
                + "\n\n"
                + document.substring(end);
    }
}
