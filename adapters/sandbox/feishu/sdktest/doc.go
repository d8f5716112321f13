// Package sdktest holds the tests that the unmodified Feishu SDK talks to the
// stand-in: its client of the long connection, its dispatcher of events and its
// client of the message API, over the network.
//
// They stand apart from the stand-in's own tests because the SDK takes a minute to
// compile, which nobody should wait for who changes a handler. What the stand-in
// does in detail is tested there; here belongs what only the SDK can prove, i.e.
// that it understands what it is sent, and what it makes of each fault.
//
// Every test uses an app id of its own: the SDK keeps tokens in a global cache whose
// key is the app id and not the server.
package sdktest
