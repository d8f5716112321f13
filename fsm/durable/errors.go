package durable

import "errors"

// ErrStopped is what a receipt gets that comes after Stop.
var ErrStopped = errors.New("durable: the engine is stopping and takes no more facts")
