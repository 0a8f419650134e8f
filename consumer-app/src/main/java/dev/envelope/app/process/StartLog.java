package dev.envelope.app.process;

import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.core.api.Words;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a start, in a few lines with what an operator wants to know first.
 *
 * <p>Threads: stateless.
 */
final class StartLog {

    private static final Logger log = LoggerFactory.getLogger("envelope");
    private static final int MOST_WARNINGS = 5;

    private final Settings settings;

    StartLog(Settings settings) {
        this.settings = settings;
    }

    /** Logs the settings, before any server is contacted. */
    void begin(ProcessStatus.Identity identity, Mode mode, String url) {
        log.info(
                "envelope {} on Java {}, instance {}, settings {}",
                identity.version(),
                Runtime.version().feature(),
                identity.instance(),
                identity.fingerprint());
        log.info("handler    {} ({})", mode.handler(), shown(HandlerKeys.HANDLER));
        log.info("database   {}", mode.database());
        log.info(
                "limits     prefetch {}, envelope {} messages, {} workers on {} shards",
                shown(LimitKeys.PREFETCH_MAX_BYTES),
                shown(LimitKeys.ENVELOPE_MAX_MESSAGES),
                workers(),
                settings.shards());
        log.info("operations {}", url);
        warnings();
    }

    private String workers() {
        int most = settings.mostWorkers();
        String begun = shown(LimitKeys.POOL_SIZE);
        return most > settings.get(LimitKeys.POOL_SIZE) ? begun + " to " + most : begun;
    }

    private void warnings() {
        var warnings = settings.warnings().warnings();
        warnings.stream()
                .limit(MOST_WARNINGS)
                .forEach(
                        problem ->
                                log.warn(
                                        "{} {} {}",
                                        problem.origin().describe(),
                                        problem.subject(),
                                        problem.message()));
        if (warnings.size() > MOST_WARNINGS) {
            log.warn("{} more; envelope validate shows them", warnings.size() - MOST_WARNINGS);
        }
    }

    /** Logs what is read, once both servers are ready. */
    void serversAreThere(Mode mode) {
        mode.remark().ifPresent(log::warn);
        log.info("reading    {}", mode.reading());
    }

    /** Logs the assignment, once the group has made it. */
    void running(StatusSource status) {
        log.info(
                "running    {} after {} ms",
                Words.count(status.get().partitions().size(), "partition"),
                status.uptime().toMillis());
    }

    /** Logs what the start waits for, and for how long at most. */
    void waiting(String line) {
        log.warn("{} (up to {})", line, shown(OperationKeys.START_TIMEOUT));
    }

    private String shown(Key<?> key) {
        return settings.effective(key.name()).map(Setting::shown).orElse("default");
    }
}
