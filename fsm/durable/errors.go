package durable

import "errors"

// ErrStopped is what a receipt gets that comes after Stop.
var ErrStopped = errors.New("durable: the engine is stopping and takes no more facts")

// ErrUnfit is within a store's error where an instance cannot be read, or a fact
// cannot be written, while the store is well: trying again does not help, and
// other instances are not concerned.
var ErrUnfit = errors.New("durable: this cannot be read or written, though the store can")
