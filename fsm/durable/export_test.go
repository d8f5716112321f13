package durable

// KeepResident lets an engine keep fewer instances in memory than it does otherwise.
func (e *Engine[S, D, F, E]) KeepResident(n int) { e.resident.Resize(n) }

// Resident counts the instances that an engine keeps in memory.
func (e *Engine[S, D, F, E]) Resident() int { return e.resident.Len() }
