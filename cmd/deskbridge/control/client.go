package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Call has the daemon of a data folder carry an operation out, and decodes what it
// returns into result. It waits as long as ctx lets it.
func Call(ctx context.Context, dir, op string, params, result any) (err error) {
	path := filepath.Join(dir, fileName)
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("control: %s is no socket of a bridge; move it away and start the bridge again", path)
	}
	if err != nil {
		return unreachable(path, err)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return unreachable(path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var given answer
	if err = json.NewEncoder(conn).Encode(request{Op: op, Params: body}); err == nil {
		err = json.NewDecoder(conn).Decode(&given)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("control: the bridge at %s stopped before it answered; whether it did what was asked is not known: ask again", path)
	case given.Error != "":
		return errors.New(given.Error)
	}
	return json.Unmarshal(given.Result, result)
}

func unreachable(path string, err error) error {
	return fmt.Errorf("control: the bridge that is running cannot be asked at %s (%w); it may be starting or stopping: try again, or stop it first", path, cause(err))
}
