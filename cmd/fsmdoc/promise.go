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

var promises = []promise{
	{"1", "Nothing lost in: once faults stop, an acknowledged message is exactly one of proven in a turn, an answer, a command, given back with the reason, or unresolved with its sender asked once.", []test{
		{"transitions", "TestNothingIsStuckOrSentTwice"},
		{"transitions", "TestAbsenceIsProvenNotGuessed"},
		{"store", "TestACrashAnywhereLosesNothingAndDoublesNothing"},
		{"matrix", "TestAuditSeesWhatDoesNotAgree"},
	}},
	{"2", "Nothing twice in: a message is at most one userMessage item, over all turns and threads.", []test{
		{"transitions", "TestNothingIsStuckOrSentTwice"},
		{"matrix", "TestAMessageDeliveredThriceIsOneTurn"},
		{"matrix", "TestAuditSeesWhatDoesNotAgree"},
	}},
	{"3", "Nothing lost out: the outcome of every turn of a live track that holds a message of ours reaches the chat, or its failure is kept to be seen.", []test{
		{"transitions", "TestEveryEndHasItsOutcome"},
		{"transitions", "TestARefusedDeliveryIsKeptToBeSeen"},
		{"matrix", "TestATurnThatEndsWhileTheBridgeIsDownIsDeliveredAtTheNextStart"},
	}},
	{"4", "Nothing twice out: no outcome stands in the chat twice.", []test{
		{"transitions", "TestEveryDeliveryHasItsOwnUUID"},
		{"matrix", "TestABridgeThatDiesBeforeItHearsOfItsAnswerShowsItOnce"},
	}},
	{"5a", "Nothing invented: stopped is said only with a /stop recorded for that very turn and the status interrupted.", []test{
		{"transitions", "TestStoppedIsSaidOnlyWithAStopAndAnInterruptedTurn"},
		{"matrix", "TestStopEndsTheTurnAndSaysSoOnce"},
	}},
	{"5b", "Waiting for you is said only with a visible open request.", nil},
	{"5c", "Sent to Codex is said only with proof.", nil},
	{"6a", "Nothing falsely held: text is held only by a hold that has a name and says so.", []test{
		{"transitions", "TestTextOfATurnIsSteered"},
		{"matrix", "TestWithoutCodexMessagesAreKeptUntilItAppears"},
	}},
	{"6b", "A request that cannot be shown is shown in a poorer form, down to plain text, and after a bounded time says so.", nil},
	{"7a", "Nothing approved by mistake: a decision applies once, to the request its card was drawn for, by someone entitled.", nil},
	{"7b", "A card of a dead request says so.", nil},
	{"8", "Nothing stuck: once faults stop, every track settles within bounded steps, or waits visibly for a named person.", []test{
		{"transitions", "TestNothingIsStuckOrSentTwice"},
		{"transitions", "TestASettledTrackRemembersNothing"},
	}},
	{"9", "Turn identity: a fact about one turn changes nothing that is known of another, in whatever order they arrive.", []test{
		{"transitions", "TestTurnsAreNotConfused"},
	}},
}
