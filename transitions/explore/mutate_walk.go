package explore

import (
	"math/rand/v2"
	"sync"
)

// vast are the bounds of the worlds that are walked through by chance: what needs
// much to go before is met there. longest is how many moves a walk has at most.
var vast = Bounds{Messages: 12, Stops: 4, Requests: 6, Faults: 16, Oddities: 12}

const longest = 200

// wander walks through a large world by chance, as often as is asked for.
func (b *Bank) wander(walks, workers int) {
	const block = 64 // walks at a time; the bank does not depend on the workers
	for from := 0; from < walks; from += block {
		ways := make([][]*world, min(block, walks-from))
		var all sync.WaitGroup
		for n := range workers {
			all.Go(func() {
				for i := n; i < len(ways); i += workers {
					chance := rand.New(rand.NewPCG(b.seed, uint64(1+from+i)))
					ways[i] = walk(newWorld(watched(b.tables), vast), chance)
				}
			})
		}
		all.Wait()
		for _, way := range ways {
			for i, to := range way[1:] {
				b.meet(way[i], to)
			}
			b.Broken = append(b.Broken, way[len(way)-1].Broken()...)
		}
	}
}

// walk is a way from a world by chance, up to one in which something does not hold.
func walk(w *world, chance *rand.Rand) []*world {
	way := []*world{w}
	for range longest {
		moves := w.Moves()
		if len(moves) == 0 || len(w.Broken()) > 0 {
			break
		}
		w = moves[chance.IntN(len(moves))].Next().(*world)
		way = append(way, w)
	}
	return way
}
