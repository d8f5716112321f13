package transitions

// Utterance is what somebody said in a chat, as people saw it.
type Utterance struct {
	// Codex says that it is Codex's word, and not a person's.
	Codex bool
	Text  string
}
