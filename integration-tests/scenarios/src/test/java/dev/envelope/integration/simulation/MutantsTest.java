package dev.envelope.integration.simulation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The checks can fail: each mutant is found, by the check that is there for it. */
class MutantsTest {

    @RegisterExtension static final RedSeeds RED = new RedSeeds("mutants.txt", 2_000);

    @Test
    void withoutDedupeAnEffectIsDoubled() {
        assertFound(Mutants.DEDUPE_OFF, "duplicate-apply");
    }

    @Test
    void withoutCompareAndSetAZombieOverwritesARow() {
        assertFound(Mutants.COMPARE_AND_SET_OFF, "mark-shrunk");
    }

    @Test
    void aProcessThatCountsOnItsSlotsForLongerThanTheServerSharesThem() {
        assertFound(Mutants.SLOTS_FOR_EVER, "slot-shared");
    }

    @Test
    void committingOnFetchPromisesWhatIsNotDone() {
        assertFound(Mutants.COMMIT_ON_FETCH, "commit-ahead");
    }

    @Test
    void twoWorkersInAShardFoldAKeyTwiceAtOnce() {
        assertFound(Mutants.ONE_AT_A_TIME_OFF, "overlap");
    }

    @Test
    void withoutABudgetMoreIsHeldThanMayBe() {
        assertFound(Mutants.BUDGET_OFF, "I10");
    }

    @Test
    void aStateThatWasChangedHalfwayIsSaved() {
        assertFound(Mutants.HALF_CHANGED_STATE_KEPT, "duplicate-apply");
    }

    @Test
    void aKeyThatFlowsOnWhileItIsParkedIsOutOfOrder() {
        assertFound(Mutants.PARKED_FORGOTTEN, "reorder");
    }

    @Test
    void aRedriveThatIgnoresTheLiveStreamUndoesIt() {
        assertFound(LogMutants.REDRIVE_IGNORES_THE_LIVE_STREAM, "mark-shrunk");
    }

    @Test
    void aRepairThatIgnoresTheLiveStreamIsDoneOnAnotherRowThanWasSeen() {
        assertFound(LogMutants.REDRIVE_IGNORES_THE_LIVE_STREAM, "repair");
    }

    @Test
    void withoutADrainWhatWasGivenUpIsStillSaved() {
        assertFound(LogMutants.DRAIN_OFF, "late-save");
    }

    /** What of the new one is applied under the former one's name is in doubt, and not judged. */
    @Test
    void withTopicsKnownByNameANewOneIsNeverCaughtUp() {
        assertFound(LogMutants.TOPIC_IDS_OFF, "stall");
    }

    @Test
    void withOneMarkPerKeyTheRecordsOfAnotherSourceAreDropped() {
        assertFound(LogMutants.ONE_MARK_PER_KEY, "lost-apply");
    }

    @Test
    void withoutCheckpointsARestoredDatabaseLacksRecords() {
        assertFound(LogMutants.CHECKPOINTS_OFF, "lost-apply");
    }

    @Test
    void withoutStartsARewindBelowThemAppliesHalfOfTheHistory() {
        assertFound(LogMutants.STARTS_OFF, "unseen");
    }

    @Test
    void withoutTheGrowthBarrierAKeyThatMovesIsOutOfOrder() {
        assertFound(LogMutants.GROWTH_BARRIER_OFF, "reorder");
    }

    @Test
    void withLivesIgnoredAFailOverLosesRecords() {
        assertFound(LogMutants.INCARNATIONS_OFF, "lost-apply");
    }

    @Test
    void withoutALookAtPositioningANewOwnerGoesOnWithWhatIsHeldBack() {
        assertFound(LogMutants.PAUSES_AT_POSITIONING_OFF, "held-back");
    }

    @Test
    void anOldVersionThatLeavesOutWhatItDoesNotKnowDropsIt() {
        assertFound(HandlerMutants.FIELDS_DROPPED, "field-dropped");
    }

    @Test
    void aMessageIsNotChargedWithWhatItsKeyWaitsFor() {
        assertFound(HandlerMutants.WAITING_IS_AN_ATTEMPT, "charged");
    }

    @Test
    void aKeyThatWaitsForEverForAnotherVersionIsFound() {
        assertFound(HandlerMutants.ENDLESS_PATIENCE, "patience");
    }

    @Test
    void anOutageOfAKeysDeserializerThatIsTakenForARefusalSetsItsRecordsAside() {
        assertFound(HandlerMutants.KEY_OUTAGE_IS_A_REFUSAL, "parked");
    }

    @Test
    void aKeyThatIsDecodedWhilePollingKeepsAllPartitionsWaiting() {
        assertFound(HandlerMutants.KEYS_DECODED_WHILE_POLLING, "poll-blocked");
    }

    @Test
    void anOutageOfAValuesDeserializerThatIsTakenForBadBytesSetsItsMessageAside() {
        assertFound(HandlerMutants.VALUE_OUTAGE_IS_BAD_BYTES, "parked");
    }

    @Test
    void withoutABoundOfTheOutboxWhoeverSeesItFullPutsMoreInto() {
        assertFound(OutboxMutants.ROOM_WITHOUT_END, "outbox-bound");
    }

    @Test
    void withoutALeaseTwoProcessesDeliverTheSame() {
        assertFound(OutboxMutants.LEASE_OFF, "letter-repeated");
    }

    @Test
    void aRelayThatIgnoresRefusalsLosesDeadLetters() {
        assertFound(OutboxMutants.REFUSALS_IGNORED, "letter-lost");
    }

    @Test
    void aRelayThatDoesNotWaitForTheFirstOfAKeyLetsTheSecondOvertake() {
        assertFound(OutboxMutants.LANES_OFF, "letter-order");
    }

    @Test
    void aSaveThatLosesWhatTheHandlerHasEmittedIsFound() {
        assertFound(OutputMutants.EFFECTS_LOST, "output-missing");
    }

    @Test
    void aMessageThatIsParkedEmitsNothing() {
        assertFound(OutputMutants.PARKED_EMIT, "output-invented");
    }

    @Test
    void withoutTheNumberOfABatchNobodyKnowsThatItWasSent() {
        assertFound(OutputMutants.NUMBER_NOT_COMMITTED, "output-repeated");
    }

    @Test
    void aCommitWhoseReplyIsLostMayHaveBeenDone() {
        assertFound(OutputMutants.UNKNOWN_TAKEN_FOR_ABORTED, "output-repeated");
    }

    @Test
    void withoutAFenceARelayThatWasTakenOverCommitsLate() {
        assertFound(OutputMutants.FENCE_OFF, "output-repeated");
    }

    @Test
    void whatIsSentButNotDeletedIsSentAgain() {
        assertFound(OutputMutants.NEVER_DELETED, "output-repeated");
    }

    @Test
    void aRelayThatDoesNotAskWhatOthersHaveToSendOvertakesThem() {
        assertFound(OutputMutants.ORDER_BETWEEN_RELAYS_OFF, "output-order");
    }

    @Test
    void anOutputThatIsDroppedOnTheWayIsLost() {
        assertFound(OutputMutants.FIRST_DROPPED, "output-lost");
    }

    @Test
    void anOutputThatIsChangedOnTheWayIsFound() {
        assertFound(OutputMutants.VALUES_CHANGED, "output-altered");
    }

    @Test
    void withoutABoundWhoeverSeesTooManyOutputsWaitingAddsMore() {
        assertFound(OutputMutants.ROOM_WITHOUT_END, "output-bound");
    }

    @Test
    void aSaveThatLosesTheAnswersToCommandsIsFound() {
        assertFound(ReplyMutants.REPLIES_LOST, "reply-missing");
    }

    @Test
    void anAnswerThatSaysAppliedWhateverBecameOfTheCommandIsFound() {
        assertFound(ReplyMutants.ALWAYS_APPLIED, "reply-untrue");
    }

    @Test
    void aSaveThatHasLostAnswersNothing() {
        assertFound(ReplyMutants.REPLY_WITHOUT_WINNING, "reply-untrue");
    }

    @Test
    void aCommandThatComesAgainIsAppliedTwiceIfItsAnswerIsNotAsked() {
        assertFound(ReplyMutants.ANSWERS_NOT_ASKED, "unseen");
    }

    @Test
    void aFiringOfATimerThatWasSetAgainCountsOnlyForWhoDoesNotLookAtTheGeneration() {
        assertFound(TimerMutants.GENERATION_IGNORED, "timer-ghost");
    }

    @Test
    void aTimerThatIsPutOutAndNotMarkedIsFound() {
        assertFound(TimerMutants.FIRED_NOT_MARKED, "timer-unmarked");
    }

    @Test
    void aTimerThatIsPutOutTwiceIsFound() {
        assertFound(TimerMutants.FIRED_TWICE, "timer-repeated");
    }

    @Test
    void aTimerThatFiresTooEarlyIsFound() {
        assertFound(TimerMutants.EARLY, "timer-early");
    }

    @Test
    void whoLooksAtEachPartitionByItselfDoesNotFireTheOldestFirst() {
        assertFound(TimerMutants.OLDEST_OF_EACH_PARTITION, "timer-order");
    }

    @Test
    void timersThatOutliveTheRowOfADeletedKeyAreFound() {
        assertFound(TimerMutants.PURGE_KEEPS_TIMERS, "timer-purged");
    }

    @Test
    void aSaveThatLosesTheTimersOfItsMessagesIsFound() {
        assertFound(TimerMutants.TIMERS_LOST, "timer-wrong");
    }

    @Test
    void aTimerThatStaysThoughItsFiringIsAppliedIsFound() {
        assertFound(TimerMutants.APPLIED_NOT_ENDED, "timer-wrong");
    }

    @Test
    void aSaveThatHasLostSetsNoTimers() {
        assertFound(TimerMutants.TIMER_WITHOUT_STATE, "timer-wrong");
    }

    @Test
    void aCheckpointOfATopicThatIsGoneSaysNothingOfWhatWasPutIntoThePresentOne() {
        assertFound(ReadMutants.AT_LEAST_BY_FORMER_TOPIC, "own-write");
    }

    /** What a purged row had applied is taken for new: the mark of the row after it is lower. */
    @Test
    void whoDoesNotKnowWhatWasPurgedMakesDeletedKeysAnew() {
        assertFound(StoreMutants.PURGED_FORGOTTEN, "mark-shrunk");
    }

    @Test
    void whoWaitsForLocksHoldsOtherKeysUp() {
        assertFound(StoreMutants.LOCKS_WAITED_FOR, "held-up");
    }

    @Test
    void aMessageIsNotChargedWithATimeThatItsHandlerWasNotGiven() {
        assertFound(HandlerMutants.HANDLER_TIMEOUT_TOO_SHORT, "charged");
    }

    @Test
    void withoutACrashBookAMessageKillsProcessesForEver() {
        assertFound(HandlerMutants.CRASH_BOOK_OFF, "stall");
    }

    @Test
    void aMessageThatFewerProcessesHaveDiedOfThanIsSaidIsNotSetAside() {
        assertFound(HandlerMutants.ENDS_COUNTED_THRICE, "parked");
    }

    @Test
    void withoutLimitsMoreOfAKeyIsSetAsideThanMayBe() {
        assertFound(HandlerMutants.SET_ASIDE_LIMITS_OFF, "limit");
    }

    @Test
    void aSlowDatabaseThatIsTakenForLocksHasRowsWaitAlone() {
        assertFound(StoreMutants.TIME_OUTS_TAKEN_FOR_LOCKS, "alone");
    }

    @Test
    void aRowAtFaultThatIsNotToldFromTheOthersHasThemParkedToo() {
        assertFound(StoreMutants.ALL_BLAMED_FOR_ONE_ROW, "parked");
    }

    @Test
    void whoTakesACutConnectionForACommitPromisesWhatIsNotDone() {
        assertFound(StoreMutants.UNKNOWN_TAKEN_FOR_SAVED, "commit-ahead");
    }

    /** Rows of the others that were lost with a place are not applied again. */
    @Test
    void aPartitionThatGoesOnWhereItsFirstSlotIsLeavesOutWhatOthersHaveLost() {
        assertFoundInPlaces(PlaceMutants.LOWEST_OF_THE_FIRST_SLOT_ALONE, "lost-apply");
    }

    @Test
    void whoTakesTheLifeOfAnotherPlaceForThatOfARowLosesRecords() {
        assertFoundInPlaces(PlaceMutants.LIFE_OF_ANOTHER_PLACE, "lost-apply");
    }

    @Test
    void aTurnThatSpansPlacesIsSavedAtTheWrongOne() {
        assertFoundInPlaces(PlaceMutants.TURNS_OVER_PLACES, "place");
    }

    @Test
    void aSlotThatIsNotToldOfASourceHasNoCheckpointOfIt() {
        assertFoundInPlaces(PlaceMutants.INTRODUCTIONS_OFF, "commit-ahead");
    }

    @Test
    void aSlotForWhichASourceBeginsAtItsEndPromisesWhatIsNotDone() {
        assertFoundInPlaces(PlaceMutants.INTRODUCED_AT_THE_END, "commit-ahead");
    }

    /** What a process saves there is in no row. */
    @Test
    void aMoveWithoutAnotherNameAtTheOldPlaceLosesRecords() {
        assertFoundInPlaces(PlaceMutants.MOVED_WITHOUT_ANOTHER_NAME, "commit-ahead");
    }

    private static void assertFoundInPlaces(Wiring mutant, String anomaly) {
        RED.assertFound(anomaly, seed -> Simulation.places(seed, mutant));
    }

    /** Not by the luck of a single seed; what it breaks may show elsewhere first. */
    private static void assertFound(Wiring mutant, String anomaly) {
        RED.assertFound(anomaly, seed -> Simulation.run(seed, mutant));
    }
}
