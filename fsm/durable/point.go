package durable

// Point names a moment in the work of an engine. What happens to a process that
// ends there is what the rules of the package are about, so that tests end it at
// each of them.
type Point string

// The points, in the order in which one fact and its effect come to them.
const (
	// PointBegun: the transaction is open, and holds nothing.
	PointBegun Point = "begun"
	// PointJournalled: a step is written, its effects are not.
	PointJournalled Point = "journalled"
	// PointWritten: all of the batch is written, and not committed.
	PointWritten Point = "written"
	// PointCommitted: the batch is durable, and nobody knows.
	PointCommitted Point = "committed"
	// PointAcknowledged: those who submitted know, and no attempt has begun.
	PointAcknowledged Point = "acknowledged"
	// PointDispatched: an attempt was handed to the executor.
	PointDispatched Point = "dispatched"
	// PointReported: the executor knows what became of an attempt, and the journal
	// does not.
	PointReported Point = "reported"
)

// Points lists the points.
func Points() []Point {
	return []Point{
		PointBegun, PointJournalled, PointWritten, PointCommitted, PointAcknowledged, PointDispatched, PointReported,
	}
}
