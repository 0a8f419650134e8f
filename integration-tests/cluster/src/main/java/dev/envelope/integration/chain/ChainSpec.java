package dev.envelope.integration.chain;

import dev.envelope.integration.stack.Database;

/**
 * What a process of the chain is started with.
 *
 * <p>Threads: immutable.
 *
 * @param from the topic that it reads
 * @param to the topic that it writes
 * @param application also the name of its schema
 * @param stage where it ends
 * @param occasions how often that has to come up
 */
record ChainSpec(
        String instance,
        String bootstrapServers,
        String from,
        String to,
        String application,
        Database database,
        Stage stage,
        int occasions,
        Flaw flaw) {

    String[] toArguments() {
        return new String[] {
            instance,
            bootstrapServers,
            from,
            to,
            application,
            database.url(),
            database.user(),
            database.password(),
            stage.name(),
            Integer.toString(occasions),
            flaw.name()
        };
    }

    static ChainSpec parse(String[] words) {
        return new ChainSpec(
                words[0],
                words[1],
                words[2],
                words[3],
                words[4],
                new Database(words[5], words[6], words[7]),
                Stage.valueOf(words[8]),
                Integer.parseInt(words[9]),
                Flaw.valueOf(words[10]));
    }
}
