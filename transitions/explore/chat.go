package explore

import (
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// show puts a delivery into the chat, which recognises one that it has.
func (w *world) show(delivery string) {
	if at, there := slices.BinarySearch(w.Chat, delivery); !there {
		w.Chat = slices.Insert(slices.Clone(w.Chat), at, delivery)
	}
}

// chatMoves are what can become of a delivery on its way.
func (w *world) chatMoves(i int, id string) []explore.Move {
	refuse := func(n *world) {
		n.settleCall(i, transitions.DeliveryRefused{Delivery: id, Code: 230002, Said: "no"})
	}
	if w.ChatShut {
		return []explore.Move{w.move("the chat, which is closed, refuses "+id, refuse)}
	}
	moves := []explore.Move{w.showMove(i, id)}
	if w.Left.Faults == 0 {
		return moves
	}
	return append(moves,
		w.move("the chat refuses "+id, func(n *world) {
			n.Left.Faults--
			refuse(n)
		}),
		w.move("the answer of the chat about "+id+" is lost, and it is shown", func(n *world) {
			n.Left.Faults--
			n.show(id)
			n.settleCall(i, transitions.DeliveryUnknown{Delivery: id})
		}),
		w.move(id+" is lost on its way to the chat", func(n *world) {
			n.Left.Faults--
			n.settleCall(i, transitions.DeliveryUnknown{Delivery: id})
		}),
	)
}

func (w *world) showMove(i int, id string) explore.Move {
	return w.move("the chat shows "+id, func(n *world) {
		n.show(id)
		n.settleCall(i, transitions.DeliveryConfirmed{Delivery: id, Shown: "shown:" + id})
	})
}

// cardMoves are what can become of a request's card on its way. Which of its forms
// the chat takes makes no difference here.
func (w *world) cardMoves(i int, id string) []explore.Move {
	refuse := func(n *world) { n.settleCall(i, transitions.RequestUnshowable{Request: id, Said: "no"}) }
	if w.ChatShut {
		return []explore.Move{w.move("the chat, which is closed, refuses every form of request "+id, refuse)}
	}
	moves := []explore.Move{w.cardMove(i, id)}
	if w.Calls[i].Slow {
		moves = append(moves, w.move("the time to show request "+id+" is over", func(n *world) {
			n.tell(toTrack{n.Calls[i].Track, transitions.VisibilityOverdue{Request: id}})
		}))
	}
	if w.Left.Faults > 0 {
		moves = append(moves, w.move("the chat refuses every form of request "+id, func(n *world) {
			n.Left.Faults--
			refuse(n)
		}))
	}
	return moves
}

func (w *world) cardMove(i int, id string) explore.Move {
	return w.move("the chat shows request "+id, func(n *world) {
		if r := n.request(id); r != nil {
			r.Card = true
		}
		n.settleCall(i, transitions.RequestVisible{Request: id, Shown: "shown:" + id})
	})
}

// laterMoves: what was refused or in doubt is found in the chat, or is sent again
// with success.
func (w *world) laterMoves() (moves []explore.Move) {
	if w.ChatShut {
		return nil
	}
	for tr := range w.Tracks {
		for _, d := range w.Tracks[tr].Data.Deliveries {
			if d.State == transitions.DeliveryInDoubt || d.State == transitions.DeliveryFailed {
				moves = append(moves, w.move(d.ID+" is found in the chat, or sent again", func(n *world) {
					n.show(d.ID)
					n.tell(toTrack{tr, transitions.DeliveryConfirmed{Delivery: d.ID, Shown: "shown:" + d.ID}})
				}))
			}
		}
	}
	return moves
}
