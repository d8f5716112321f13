package explore

import (
	"fmt"
	"sync"
)

// block is how many worlds are expanded before what was found is taken in. It is
// fixed, so that the result does not depend on the number of workers.
const block = 512

// resting marks a world that is known to come to rest and was not visited.
const resting = -1

// node remembers how a world was reached.
type node struct {
	parent int32 // -1: a root
	move   uint16
}

type search struct {
	opt   Options
	roots []World
	seen  map[Key]int32 // index of the node, or resting
	nodes []node
	out   Report

	level, next []item
}

// item is a world that waits to be expanded.
type item struct {
	world World
	node  int32
}

// step is a move that was tried.
type step struct {
	key      Key
	world    World // nil if nobody needs it any more
	problems []string
	fair     int   // how many fair moves lead to the problems; -1: none
	rests    []Key // worlds on the fair path that come to rest
}

// Run explores everything that can be reached from the roots, until the first
// violation or a bound.
func Run(roots []World, opt Options) Report {
	s := &search{opt: opt, roots: roots, seen: map[Key]int32{}, out: Report{Complete: true}}
	s.begin()
	for len(s.level) > 0 && s.out.Violation == nil {
		if opt.MaxDepth > 0 && s.out.Depth >= opt.MaxDepth || opt.MaxStates > 0 && len(s.nodes) >= opt.MaxStates {
			s.out.Complete = false
			break
		}
		s.expandLevel()
		s.level, s.next = s.next, nil
		if len(s.level) > 0 {
			s.out.Depth++
		}
	}
	s.out.States = len(s.nodes)
	return s.out
}

// begin visits the roots.
func (s *search) begin() {
	for i, root := range s.roots {
		st := s.examine(root, map[Key]bool{})
		if s.take(-1, i, &st); s.out.Violation != nil {
			break
		}
	}
	s.level, s.next = s.next, nil
}

// expandLevel expands the level's worlds, block by block.
func (s *search) expandLevel() {
	for from := 0; from < len(s.level) && s.out.Violation == nil; from += block {
		if s.opt.MaxStates > 0 && len(s.nodes) >= s.opt.MaxStates {
			s.out.Complete = false
			return
		}
		part := s.level[from:min(from+block, len(s.level))]
		tried := s.expand(part)
		for i := range part {
			for move := range tried[i] {
				st := &tried[i][move]
				s.out.Edges++
				if s.opt.Edge != nil {
					s.opt.Edge(part[i].world, st.world)
				}
				if s.take(part[i].node, move, st); s.out.Violation != nil {
					return
				}
			}
			part[i].world = nil
		}
	}
}

// expand tries the moves of some worlds, side by side. Meanwhile nobody writes to
// what has been seen.
func (s *search) expand(part []item) [][]step {
	tried := make([][]step, len(part))
	workers := max(1, s.opt.Workers)
	var all sync.WaitGroup
	for n := range workers {
		all.Go(func() {
			known := map[Key]bool{}
			for i := n; i < len(part); i += workers {
				tried[i] = s.moves(part[i].world, known)
			}
		})
	}
	all.Wait()
	return tried
}

func (s *search) moves(w World, known map[Key]bool) []step {
	moves := w.Moves()
	tried := make([]step, 0, len(moves))
	for _, m := range moves {
		st := s.examine(m.Next(), known)
		if s.opt.Edge == nil && len(st.rests) == 0 && st.problems == nil {
			if at, ok := s.seen[st.key]; ok && at != resting {
				st.world = nil
			}
		}
		tried = append(tried, st)
	}
	return tried
}

// examine checks a world, unless it is known, and follows its fair path.
func (s *search) examine(w World, known map[Key]bool) step {
	st := step{key: w.Key(), world: w, fair: -1}
	if at, ok := s.seen[st.key]; ok && at != resting {
		return st
	}
	if st.problems = w.Broken(); st.problems != nil {
		return st
	}
	s.followFair(&st, known)
	return st
}

// followFair follows the fair path until a world that is known to come to rest.
func (s *search) followFair(st *step, known map[Key]bool) {
	w, key := st.world, st.key
	for n := 0; ; n++ {
		if _, ok := s.seen[key]; ok || known[key] {
			break
		}
		if n > 0 {
			if st.problems = w.Broken(); st.problems != nil {
				st.fair = n
				return
			}
		}
		st.rests = append(st.rests, key)
		move, ok := w.Fair()
		if !ok {
			if st.problems = w.Unsettled(); st.problems != nil {
				st.fair = n
				return
			}
			break
		}
		if n >= s.opt.MaxFair {
			st.problems, st.fair = []string{fmt.Sprintf("nothing goes wrong any more, and after %d moves there is still no rest", n)}, n
			return
		}
		w = move.Next()
		key = w.Key()
	}
	for _, k := range st.rests {
		known[k] = true
	}
}

// take notes what a move led to.
func (s *search) take(parent int32, move int, st *step) {
	if st.problems != nil {
		s.out.Violation = s.tell(node{parent: parent, move: uint16(move)}, st)
		return
	}
	if at, ok := s.seen[st.key]; ok && at != resting {
		return
	}
	for _, key := range st.rests {
		if _, ok := s.seen[key]; !ok {
			s.seen[key] = resting
		}
	}
	at := int32(len(s.nodes))
	s.seen[st.key] = at
	s.nodes = append(s.nodes, node{parent: parent, move: uint16(move)})
	s.next = append(s.next, item{world: st.world, node: at})
}
