package dev.envelope.app.commands;

import dev.envelope.app.process.ConsumerProcess;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Consumes until it is stopped. Threads: one thread. */
@Command(
        name = "run",
        header = "Consume until SIGTERM or Ctrl-C; then save what was fetched.",
        footer = {
            "  envelope run -c config/consumer.properties",
            "  envelope run -c consumer.properties --set http.listen=127.0.0.1:0",
            "  kill -HUP PID          reads the settings again: pool.size, log.level",
            "",
            "Exit codes: 0 stopped and saved, 69 no broker or no database at start,",
            "70 the program failed, 78 a setting is wrong, 143 not saved in time."
        })
final class RunCommand implements Callable<Integer> {

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws InterruptedException {
        return new ConsumerProcess(config.load(), config::load).run();
    }
}
