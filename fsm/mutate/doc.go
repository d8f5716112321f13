// Package mutate makes the single mutations of a checked machine: every way of
// breaking its table in one place.
//
//	row, in one of its states ─┬─ drop a guard       one mutation for each guard
//	                           ├─ delete the row
//	                           ├─ swap the target    … for each other state
//	                           ├─ ignore the fact    if the row does anything
//	                           ├─ drop an action     … for each action
//	                           └─ drop an effect     … for each effect of each action
//
// Tests that hold a machine to what is wanted of it should notice each of them;
// what they do not notice is either no difference, or a gap in the tests.
//
// A row that holds for several states stands for several cells, and is mutated
// in one of them at a time. What a guard or an action computes is not mutated:
// it is ordinary code.
//
// # What belongs here
//
// Making mutations and naming them. Whether one is noticed is for others to
// find out. The package imports fsm and the standard library.
package mutate
