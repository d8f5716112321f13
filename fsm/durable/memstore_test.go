package durable_test

import (
	"deskbridge/fsm/durable"
	"deskbridge/fsm/durable/durabletest"
)

type (
	entry    = durable.Entry[place, parcel, fact, effect]
	queued   = durable.Queued[effect]
	memStore = durabletest.Memory[place, parcel, fact, effect]
)

func newMemStore() *memStore {
	s := durabletest.NewMemory[place, parcel, fact, effect](atHome)
	s.Tell = tell
	return s
}

// tell says what a fact or an effect is called in a transcript.
func tell(about any) string {
	switch a := about.(type) {
	case asked:
		return "asked " + a.Key
	case ended:
		return a.How + " " + a.Errand
	case errand:
		return a.Name
	case fact:
		return a.FactName()
	case effect:
		return a.EffectName()
	}
	return ""
}
