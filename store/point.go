package store

import "deskbridge/fsm/durable"

// The points of the ledger's own work, beside those of the engine that writes it.
const (
	// PointMigrated: a migration is made, and the next has not begun.
	PointMigrated durable.Point = "migrated"
	// PointCutting: of a cut, the journal is shorter and the rows are all there;
	// nothing is committed.
	PointCutting durable.Point = "cutting"
	// PointCut: a cut is durable, and nobody knows.
	PointCut durable.Point = "cut"
)

// Points lists the points.
func Points() []durable.Point {
	return []durable.Point{PointMigrated, PointCutting, PointCut}
}
