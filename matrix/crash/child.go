package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/daemon"
	"deskbridge/fsm/durable"
)

// Variable is the environment variable that makes a program of [Child] end itself:
// POINT:N, at the n-th time that it reaches the point.
const Variable = "CRASH_AT"

// Child is the bridge as a program that kills itself where at says, and its exit code
// if it never comes there. Its arguments are those of deskbridge:
//
//	run --config PATH
//	prune --config PATH AGE
func Child(at string, args []string, stderr io.Writer) int {
	if err := child(at, args, stderr); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func child(at string, args []string, stderr io.Writer) error {
	reach, err := killer(at)
	if err != nil {
		return err
	}
	if len(args) < 3 || args[1] != "--config" {
		return fmt.Errorf("crash: %q is no call of the bridge", args)
	}
	c, err := config.Load(args[2], os.Environ())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch {
	case args[0] == "run":
		log := slog.New(slog.NewTextHandler(stderr, nil))
		return daemon.Serve(ctx, daemon.Settings{Config: c, Version: "crash", Log: log, Reach: reach})
	case args[0] == "prune" && len(args) == 4:
		age, err := time.ParseDuration(args[3])
		if err != nil {
			return err
		}
		_, err = daemon.PruneHere(ctx, c.Desk.Data, age, reach)
		return err
	}
	return fmt.Errorf("crash: %q is no call of the bridge", args)
}

// killer kills this process at the n-th time that a point is reached.
func killer(at string) (func(durable.Point), error) {
	point, count, _ := strings.Cut(at, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("crash: %s is %q", Variable, at), err)
	}
	var reached atomic.Int64
	return func(p durable.Point) {
		if string(p) != point || reached.Add(1) != n {
			return
		}
		// Whatever is returned, there is nothing left to be done: the signal cannot
		// be refused by a process to itself.
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}, nil
}
