package audit

import "deskbridge/adapters/sandbox/feishu"

// Account is what all who took part in a scenario of one conversation say about
// it, once nothing is left to happen.
type Account struct {
	Books Books
	// Said are the ids of what people wrote; App is the app's id.
	Said []string
	App  string
	// Deciders may decide on whatever the conversation's turns ask: the admins,
	// and the owner of a direct chat.
	Deciders []string
	// Chat and Events are the platform's.
	Chat   []feishu.Message
	Events []feishu.EventStatus
	// Turns are Codex's, of all threads.
	Turns []Turn
	// Told are the texts of people that reached the model, each as often as the
	// model has it.
	Told []string
}

// Turn is a turn as Codex has stored it.
type Turn struct {
	Thread, ID string
	// Status is the protocol's: inProgress, or how it ended.
	Status string
	// Messages are the client ids of its userMessage items, in order: the ids of
	// the chat's messages. Texts are the texts of these.
	Messages, Texts []string
	// Others are the texts of the userMessage items without such an id: what other
	// clients wrote.
	Others []string
	// Reply is what it answers; Said is why it failed. Empty: nothing.
	Reply, Said string
}
