package appserver

import (
	"bufio"
	"context"
	"io"
	"sync"

	"deskbridge/adapters/sched"
)

// Serve runs a server, in real time, that speaks with one client over a pair of
// streams: one JSON text a line. It returns once in has ended, or the server has
// dropped the client, or ctx ends; with it the server and all its threads are gone,
// as the real one's are. Its reader ends with in.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) {
	loop := sched.NewLoop()
	server := New(loop, options)
	running, stop := context.WithCancel(context.Background())
	var looping sync.WaitGroup
	looping.Go(func() { loop.Run(running) })
	defer looping.Wait()
	defer stop()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := &queue{wake: make(chan struct{}, 1)}
	var conn *Conn
	if loop.Call(ctx, func() { conn = server.Connect(queue.push, cancel) }) != nil {
		return
	}
	go func() {
		defer cancel()
		// A frame that ends without a line's end is none.
		for lines := bufio.NewReader(in); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			loop.Post(func() { conn.Receive(line) })
		}
	}()
	queue.drain(ctx, func(frame []byte) bool {
		_, err := out.Write(append(frame, '\n'))
		return err == nil
	})
}
