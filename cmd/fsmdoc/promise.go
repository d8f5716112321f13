package main

// promise is one sentence of what the bridge promises, with the tests that hold
// it. The number is that of the invariant, with a letter where it has several
// sentences.
type promise struct {
	number   string
	sentence string
	heldBy   []test
}

// test names a Go test and the folder of its package.
type test struct{ folder, name string }

var (
	// everywhere holds each invariant in every state of the explored worlds.
	everywhere = test{"transitions/explore", "TestExplore"}
	// audited holds that each invariant is run over the ledger with which every
	// end-to-end test and the simulation end.
	audited = test{"matrix/audit", "TestEachInvariantIsHeldAgainstTheLedger"}
)

var promises = []promise{
	{"1", "Nothing lost in: once faults stop, an acknowledged message is exactly one of proven in a turn, an answer, a command, given back with the reason, or unresolved with its sender asked once.", []test{
		everywhere, audited,
		{"transitions", "TestNothingIsStuckOrSentTwice"},
		{"transitions", "TestAbsenceIsProvenNotGuessed"},
		{"store", "TestACrashAnywhereLosesNothingAndDoublesNothing"},
	}},
	{"2", "Nothing twice in: a message is at most one userMessage item, over all turns and threads.", []test{
		everywhere, audited,
		{"transitions", "TestNothingIsStuckOrSentTwice"},
		{"matrix", "TestAMessageDeliveredThriceIsOneTurn"},
	}},
	{"3", "Nothing lost out: the outcome of every turn of a live track that holds a message of ours reaches the chat, or its failure is kept to be seen.", []test{
		everywhere, audited,
		{"transitions", "TestEveryEndHasItsOutcome"},
		{"transitions", "TestARefusedDeliveryIsKeptToBeSeen"},
		{"matrix", "TestATurnThatEndsWhileTheBridgeIsDownIsDeliveredAtTheNextStart"},
	}},
	{"4", "Nothing twice out: no outcome stands in the chat twice.", []test{
		everywhere, audited,
		{"transitions", "TestEveryDeliveryHasItsOwnUUID"},
		{"matrix", "TestABridgeThatDiesBeforeItHearsOfItsAnswerShowsItOnce"},
	}},
	{"5a", "Nothing invented: stopped is said only with a /stop recorded for that very turn and the status interrupted.", []test{
		everywhere, audited,
		{"transitions", "TestStoppedIsSaidOnlyWithAStopAndAnInterruptedTurn"},
		{"matrix", "TestStopEndsTheTurnAndSaysSoOnce"},
	}},
	{"5b", "Waiting for you is said only with a visible open request.", []test{
		everywhere, audited,
		{"transitions", "TestOnlyAVisibleRequestHoldsText"},
		{"transitions/invariant", "TestSaidNow"},
	}},
	{"5c", "Sent to Codex is said only with proof.", []test{
		everywhere, audited,
		{"transitions/invariant", "TestEachInvariantNoticesWhatBreaksIt"},
		{"transitions", "TestTextOfATurnIsSteered"},
	}},
	{"6a", "Nothing falsely held: text is held only by a hold that has a name and says so.", []test{
		everywhere, audited,
		{"transitions", "TestTextOfATurnIsSteered"},
		{"matrix", "TestWithoutCodexMessagesAreKeptUntilItAppears"},
	}},
	{"6b", "A request that cannot be shown as a card is visible in any poorer form, and one that cannot be shown at all says so after a bounded time.", []test{
		everywhere, audited,
		{"transitions", "TestOnlyAVisibleRequestHoldsText"},
		{"transitions", "TestWhatIsOverdueIsSaid"},
	}},
	{"7a", "Nothing approved by mistake: a decision applies once, to the request its card was drawn for, by someone entitled.", []test{
		everywhere, audited,
		{"transitions", "TestARequestIsDecidedOnceByAnEntitledPerson"},
		{"transitions", "TestWhoseTaskRunsDecidesOnIt"},
		{"transitions", "TestNothingIsStuckOrSentTwice"},
	}},
	{"7b", "A card of a dead request says so.", []test{
		everywhere, audited,
		{"transitions", "TestARequestEndsWithItsTurnOrItsServer"},
		{"transitions", "TestNothingIsStuckOrSentTwice"},
	}},
	{"8", "Nothing stuck: once faults stop, every track settles within bounded steps, or waits visibly for a named person.", []test{
		everywhere, audited,
		{"transitions", "TestNothingIsStuckOrSentTwice"},
		{"transitions", "TestASettledTrackRemembersNothing"},
	}},
	{"9", "Turn identity: a fact about one turn changes nothing that is known of another, in whatever order they arrive.", []test{
		everywhere, audited,
		{"transitions", "TestTurnsAreNotConfused"},
	}},
}
