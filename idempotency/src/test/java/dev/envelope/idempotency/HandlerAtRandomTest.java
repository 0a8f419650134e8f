package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Seeds;
import dev.envelope.core.turn.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Lost replies, locks, throws, zombies and restarts of the process, at random. */
final class HandlerAtRandomTest {

    private final HandlerBench bench = new HandlerBench();

    @Test
    void everyMessageHasItsEffectOnceAndInOrderWhateverHappens() {
        Seeds.each(300, random -> new HandlerAtRandomTest().runAtRandom(random));
    }

    private void runAtRandom(SplittableRandom random) {
        Map<String, StringBuilder> expected = new HashMap<>();
        Map<String, List<Message>> open = new HashMap<>();
        long offset = 0;
        for (int i = 0; i < 40; i++) {
            String key = "k" + random.nextInt(4);
            String value = String.valueOf((char) ('a' + random.nextInt(26)));
            expected.computeIfAbsent(key, it -> new StringBuilder()).append(value);
            open.computeIfAbsent(key, it -> new ArrayList<>())
                    .add(bench.message(offset++, key, value));
        }
        bench.booms.clear();
        int rounds = 0;
        while (!open.isEmpty()) {
            assertThat(rounds++).isLessThan(2000);
            disturb(random, open);
            List<Envelope> envelopes = new ArrayList<>();
            open.forEach(
                    (key, messages) ->
                            envelopes.add(
                                    Envelope.of(
                                            key,
                                            List.copyOf(
                                                    messages.subList(
                                                            0,
                                                            1
                                                                    + random.nextInt(
                                                                            messages.size()))))));
            HandTurn turn = new HandTurn(envelopes.toArray(new Envelope[0]));
            if (random.nextInt(5) == 0) {
                turn.withTimeFor(random.nextInt(4));
            }
            bench.handle(turn);
            for (int place = 0; place < envelopes.size(); place++) {
                Outcome outcome = turn.outcome(place);
                Envelope envelope = envelopes.get(place);
                int durable =
                        outcome instanceof Outcome.Saved
                                ? envelope.size()
                                : outcome instanceof Outcome.Deferred it
                                        ? it.done().size()
                                        : outcome instanceof Outcome.Failed it
                                                ? it.done().size()
                                                : 0;
                List<Message> messages = Objects.requireNonNull(open.get(envelope.key()));
                messages.subList(0, durable).clear();
                if (messages.isEmpty()) {
                    open.remove(envelope.key());
                }
            }
        }

        expected.forEach(
                (key, text) -> assertThat(bench.state(key)).as(key).isEqualTo(text.toString()));
    }

    /**
     * A lost reply, a lock, a throw, a zombie, a restart of this process: one of them, at times.
     */
    private void disturb(SplittableRandom random, Map<String, List<Message>> open) {
        bench.store.unlock("k1");
        bench.booms.clear();
        switch (random.nextInt(9)) {
            case 0 -> bench.store.loseNextReply(new UnavailableException("connection reset"));
            case 1 -> bench.store.lock("k1");
            case 2 -> bench.booms.add(String.valueOf((char) ('a' + random.nextInt(26))));
            case 3 -> bench.store.beforeSave(() -> zombie(random, open));
            case 4 -> bench.handler = bench.newHandler();
            default -> {}
        }
    }

    /** Somebody who has the same messages, and applies some of the first. */
    private void zombie(SplittableRandom random, Map<String, List<Message>> open) {
        String key = "k" + random.nextInt(4);
        List<Message> messages = open.getOrDefault(key, List.of());
        if (!messages.isEmpty()) {
            List<Message> some = messages.subList(0, 1 + random.nextInt(messages.size()));
            bench.newHandler().handle(new HandTurn(Envelope.of(key, List.copyOf(some))));
        }
    }
}
