package matrix

import (
	"context"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/matrix/audit"
)

// Account is what all who took part say, once the bridge is killed.
func (w *World) Account() (audit.Account, error) {
	a := audit.Account{
		Said: w.said, App: simApp, Deciders: []string{w.User}, Told: w.model.told(),
		Chat: w.Platform.Messages(w.Chat), Events: w.Platform.Events(),
	}
	var err error
	if a.Books, err = audit.Read(context.Background(), w.dir); err != nil {
		return a, err
	}
	asker, err := w.ask()
	if err != nil {
		return a, err
	}
	defer asker.conn.Close()
	a.Turns, err = readTurns(asker.call, threadsOf(a.Books, w.model.threads...))
	a.Turns = append(a.Turns, w.removed...)
	return a, err
}

// simModel is the model of a world, and remembers what it was asked.
type simModel struct {
	script  appserver.Script
	threads []string            // in the order of their first question
	turns   []string            // likewise
	texts   map[string][]string // of each turn, as asked last
}

// answer is the script.
func (m *simModel) answer(a appserver.Ask) []appserver.Step {
	if _, known := m.texts[a.Turn]; !known {
		m.threads, m.turns = append(m.threads, a.Thread), append(m.turns, a.Turn)
	}
	m.texts[a.Turn] = a.Texts
	return m.script(a)
}

// told are all texts that the model has.
func (m *simModel) told() (texts []string) {
	for _, turn := range m.turns {
		texts = append(texts, m.texts[turn]...)
	}
	return texts
}
