package codex

// Dialer opens connections to an app-server.
type Dialer interface {
	// Dial begins to open one connection and returns at once. The returned
	// function gives up, also after the connection is open; it may be called at
	// any time, any number of times.
	Dial(h Handler) (cancel func())
}

// Handler is what becomes of a dial. The scheduler runs all its functions but
// Skip, in the order in which things happened: Opened at most once, Frame and Cut
// only after it, Closed once at the end, which comes without Opened where dialing
// failed. After the dial was cancelled or the connection closed from this side,
// any of them may be missing.
type Handler struct {
	Opened func(Conn)
	// Frame gets one JSON message. The bytes are the handler's to keep.
	Frame func(frame []byte)
	// Cut gets a message that is too large to be kept: how it begins, and its size
	// in bytes. The connection goes on.
	Cut func(head []byte, size int64)
	// Skip is asked, in any goroutine, before a message is handed on; what it wants
	// skipped never costs the scheduler anything. Optional.
	Skip func(frame []byte) bool
	// Closed gets the reason. A [*Trouble] is one that an operator can remedy.
	Closed func(reason error)
}

// Conn is an open connection.
type Conn interface {
	// Send queues one JSON message, in order, and returns at once. That it could
	// not be written shows in the connection being closed.
	Send(frame []byte)
	// Close drops the connection, and what is queued with it.
	Close()
	// Generation identifies the server process: equal for the same process,
	// different for another one, in every life of the bridge. Empty where that
	// cannot be told.
	Generation() string
}
