package dev.envelope.integration.soak;

import java.util.EnumSet;
import java.util.Set;

/** What can strike. */
public enum FaultKind {
    KILL(Place.CONSUMER, 3, "kill -9 at random"),
    KILL_AFTER_FETCH(Place.CONSUMER, 1, "kill -9 after fetch"),
    KILL_MID_FOLD(Place.CONSUMER, 1, "kill -9 mid-fold"),
    KILL_AFTER_SAVE(Place.CONSUMER, 1, "kill -9 after save"),
    KILL_AFTER_ACK(Place.CONSUMER, 1, "kill -9 after ack"),
    KILL_DURING_COMMIT(Place.CONSUMER, 1, "kill -9 during commit"),
    TERM(Place.CONSUMER, 2, "TERM and start"),
    ZOMBIE(Place.CONSUMER, 2, "frozen for two sessions"),
    ZOMBIE_IN_TRANSACTION(Place.CONSUMER, 1, "frozen inside a transaction"),
    STORM(Place.CONSUMER, 1, "rebalance storm"),
    KILL_HOLDERS(Place.CONSUMER, 1, "all holders of slots at once"),
    HANDLER_FAILS(Place.CONSUMER, 1, "handler fails for a while"),
    BROKER_KILL(Place.BROKER, 1, "broker kill -9"),
    BROKER_RESTART(Place.BROKER, 1, "broker restart"),
    BROKER_PAUSE(Place.BROKER, 1, "broker frozen"),
    POSTGRES_KILL(Place.POSTGRES, 1, "Postgres kill -9"),
    POSTGRES_RESTART(Place.POSTGRES, 1, "Postgres restart"),
    POSTGRES_PAUSE(Place.POSTGRES, 1, "Postgres frozen"),
    ROW_LOCK(Place.POSTGRES, 1, "rows locked by another session"),
    DATABASE_BACK(Place.POSTGRES, 1, "database taken back"),
    BROKER_SLOW(Place.NETWORK, 1, "slow network to the broker"),
    BROKER_STALL(Place.NETWORK, 1, "nothing passes to or from the broker"),
    BROKER_HOLE(Place.NETWORK, 1, "the broker never answers"),
    BROKER_RESET(Place.NETWORK, 1, "connections to the broker reset"),
    BROKER_CUT(Place.NETWORK, 1, "connections to the broker cut midway"),
    BROKER_LOST_REPLY(Place.NETWORK, 1, "replies to commits in Kafka lost"),
    POSTGRES_SLOW(Place.NETWORK, 1, "slow network to Postgres"),
    POSTGRES_STALL(Place.NETWORK, 1, "nothing passes to or from Postgres"),
    POSTGRES_HOLE(Place.NETWORK, 1, "Postgres never answers"),
    POSTGRES_RESET(Place.NETWORK, 1, "connections to Postgres reset"),
    POSTGRES_CUT(Place.NETWORK, 1, "connections to Postgres cut midway"),
    POSTGRES_LOST_REPLY(Place.NETWORK, 2, "replies to COMMITs in Postgres lost");

    /** Where it strikes: a lane of the report's picture. */
    enum Place {
        CONSUMER("consumers"),
        BROKER("broker"),
        POSTGRES("Postgres"),
        NETWORK("network");

        private final String title;

        Place(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private final Place place;
    private final int cards;
    private final String title;

    FaultKind(Place place, int cards, String title) {
        this.place = place;
        this.cards = cards;
        this.title = title;
    }

    /** Those of a group, or of slots: without a group nothing is rebalanced. */
    static Set<FaultKind> all(boolean areSlots) {
        return EnumSet.complementOf(EnumSet.of(areSlots ? STORM : KILL_HOLDERS));
    }

    Place place() {
        return place;
    }

    /** How often it is in the deck. */
    int cards() {
        return cards;
    }

    String title() {
        return title;
    }
}
