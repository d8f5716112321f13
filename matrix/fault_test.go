package matrix_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix"
)

// often is a platform that brings an event again and again, so that a test need not
// wait for it.
var often = slices.Repeat([]time.Duration{300 * time.Millisecond}, 200)

// chatOf is a chat in which each text has been answered.
func chatOf(texts ...string) (lines []string) {
	for _, text := range texts {
		lines = append(lines, fmt.Sprintf(`A: %s [OnIt]`, text), fmt.Sprintf(`Desk re "%[1]s": reply to: %[1]s`, text))
	}
	return lines
}

// ledger is the path of a desk's ledger.
func ledger(d *matrix.Desk) string { return filepath.Join(d.Data, "ledger.db") }

// refuses runs the daemon, which ends with this line and has changed nothing of its
// ledger.
func refuses(t *testing.T, d *matrix.Desk, want string) {
	t.Helper()
	contents := func() (all [2][]byte) {
		for i, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(ledger(d) + suffix)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			all[i] = append([]byte{}, b...)
		}
		return all
	}
	before := contents()
	ends(t, d.Command(), want)
	documented(t, d, "store: "+want)
	if after := contents(); !bytes.Equal(before[0], after[0]) || !bytes.Equal(before[1], after[1]) {
		t.Error("the ledger is not what it was")
	}
}

// kept waits until the daemon has refused a message again and again: the platform keeps
// what is not acknowledged.
func kept(t *testing.T, d *matrix.Desk, message string) {
	t.Helper()
	event := func(p *feishu.Platform) feishu.EventStatus {
		all := p.Events()
		return all[slices.IndexFunc(all, func(e feishu.EventStatus) bool { return e.MessageID == message })]
	}
	d.AwaitPlatform("the message is brought again", func(p *feishu.Platform) bool {
		if event(p).Acknowledged {
			t.Fatal("it was acknowledged, and is in no ledger")
		}
		return event(p).Deliveries > 2
	})
}

// ends runs a command, which fails with this line.
func ends(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := matrix.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.Wait(ctx)
	if err != nil { // it goes on
		t.Fatal(err, p.Signal(os.Kill), p.Stderr)
	}
	same(t, "exit code", 1, code)
	same(t, "stdout", "", p.Stdout.String())
	same(t, "stderr", "deskbridge: store: "+want+"\n", p.Stderr.String())
}

// inSQL makes a change to a ledger from outside.
func inSQL(t *testing.T, d *matrix.Desk, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", ledger(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		_, e := db.Exec(s)
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// seizeEnv makes the test program one that has a ledger for itself until its input ends:
// a process that opens the file once more, as the test does, loses its locks on it.
// SeizeBy are the statements by which it has.
const (
	seizeEnv = "MATRIX_TEST_SEIZE"
	seizeBy  = "MATRIX_TEST_SEIZE_BY"
)

func seize(file, by string) (err error) {
	db, err := sql.Open("sqlite3", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(by); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// held lets another program have the ledger for itself.
func held(t *testing.T, d *matrix.Desk, by string) (release func()) {
	t.Helper()
	cmd := exec.Command(itself(t))
	cmd.Env = append(os.Environ(), seizeEnv+"="+ledger(d), seizeBy+"="+by)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	other, err := matrix.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.AwaitLine(t.Context(), other.Stdout, "held"); err != nil {
		t.Fatal(err, other.Stdout)
	}
	return func() {
		t.Helper()
		code, err := 0, in.Close()
		if err == nil {
			code, err = other.Wait(t.Context())
		}
		if code != 0 || err != nil {
			t.Fatal(code, err)
		}
	}
}

// itself is the test program.
func itself(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mountsEnv makes the test program one that may mount; it is the daemon's path.
const mountsEnv = "MATRIX_TEST_MOUNTS"

// mayMount runs the calling test in a process that may mount, whoever runs the tests,
// and whose mounts end with it; there it returns true.
func mayMount(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountsEnv) != "" {
		return true
	}
	cmd := exec.Command(itself(t), "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), mountsEnv+"="+program(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatalf("this test mounts a disk of its own in a new user namespace, which this system does not let it make: %v", err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out.String())
	}
	return false
}

// disk is a small disk in a folder.
type disk struct {
	t   *testing.T
	dir string
}

func newDisk(t *testing.T) disk {
	t.Helper()
	dir, err := os.MkdirTemp("", "disk-") // whose path is short
	if err != nil {
		t.Fatal(err)
	}
	k := disk{t, dir}
	k.must(syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,mode=700"))
	t.Cleanup(func() { k.must(errors.Join(syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir))) })
	return k
}

func (k disk) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// fill fills the disk to the last byte.
func (k disk) fill() {
	k.t.Helper()
	f, err := os.Create(filepath.Join(k.dir, "ballast"))
	k.must(err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		k.t.Fatal(err)
	}
	k.must(f.Close())
}

func (k disk) free() {
	k.t.Helper()
	k.must(os.Remove(filepath.Join(k.dir, "ballast")))
}

// troubled waits until the running daemon has said so of its ledger, and what it was
// doing.
func troubled(t *testing.T, d *matrix.Desk, doing, want string) {
	t.Helper()
	const what = "the ledger cannot take this; nothing is acknowledged that is not in it"
	line := d.AwaitLog("level=ERROR", what, ": "+want)
	_, quoted, _ := strings.Cut(line, " err=")
	said, err := strconv.Unquote(quoted)
	if err != nil {
		t.Fatal(err, line)
	}
	same(t, "the daemon's words", "store: "+doing+" "+ledger(d)+": "+want, said)
	documented(t, d, what)
	documented(t, d, said)
}

// documented holds that docs/operating.md tells of what the desk said.
func documented(t *testing.T, d *matrix.Desk, said string) {
	t.Helper()
	text, err := os.ReadFile("../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	said = "`" + strings.ReplaceAll(said, d.Data, "/desk/data") + "`"
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), said) {
		t.Errorf("docs/operating.md does not have %s", said)
	}
}

// TestAFullDiskTakesNothingUntilThereIsSpace fills the disk while a turn runs, which
// ends then, and while another message comes.
func TestAFullDiskTakesNothingUntilThereIsSpace(t *testing.T) {
	if !mayMount(t) {
		return
	}
	k, gate := newDisk(t), model.NewGate()
	d := startDesk(t, matrix.Options{Data: k.dir, Redelivery: often, Script: slowly(gate)})
	d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Say("slow")
	request := d.AwaitModel("slow", model.Waiting)
	d.AwaitChat(append(chatOf("hello"), `A: slow [OnIt]`)...)
	k.fill()
	gate.Open()
	d.AwaitTurnStored(request.Thread, request.Turn)
	next := d.Say("next")
	troubled(t, d, "commit to", "database or disk is full. Free some space on that disk")
	kept(t, d, next)
	d.AwaitChat(append(chatOf("hello"), `A: slow [OnIt]`, `A: next`)...)
	k.free()
	d.AwaitLog("the ledger can be written again")
	d.Finish(append(chatOf("hello"), `A: slow [OnIt]`, `A: next [OnIt]`, `Desk re "slow": reply to: slow`, `Desk re "next": reply to: next`)...)
	same(t, "the model's requests", []string{"hello: answered", "slow: answered", "next: answered"}, d.Requests())
}

func TestABridgeThatFindsItsDiskFullSaysSo(t *testing.T) {
	if !mayMount(t) {
		return
	}
	k := newDisk(t)
	d := newDesk(t, matrix.Options{Data: k.dir})
	k.fill()
	refuses(t, d, fmt.Sprintf("write %s/lock: no space left on device. Free some space on that disk", k.dir))
	k.free()
	d.Start()
	d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Terminate()
	k.fill()
	refuses(t, d, "open "+ledger(d)+": disk I/O error: no space left on device. Free some space on that disk")
	k.free()
	d.Start()
	d.Say("next")
	d.Finish(chatOf("hello", "next")...)
}

// TestAFolderThatCannotBeWrittenIsNamed mounts it so: a superuser may write whatever the
// permissions say.
func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	if !mayMount(t) {
		return
	}
	k := newDisk(t)
	d := startDesk(t, matrix.Options{Data: k.dir})
	d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Kill()
	// Over itself: what is open for writing, as Codex's log, stays so.
	k.must(syscall.Mount(k.dir, k.dir, "", syscall.MS_BIND, ""))
	k.must(syscall.Mount("", k.dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	refuses(t, d, fmt.Sprintf("write %s/lock: read-only file system. Make the folder writable for the user that runs the bridge", k.dir))
	k.must(syscall.Unmount(k.dir, 0))
	d.Start()
	d.Say("next")
	d.Finish(chatOf("hello", "next")...)
}

const restore = ". Move it away, with the -wal and -shm files beside it, and put a backup in its place, or begin a new ledger without one"

// TestADamagedLedgerIsRefusedUntilABackupIsPutInItsPlace does as it is told.
func TestADamagedLedgerIsRefusedUntilABackupIsPutInItsPlace(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Terminate()
	backup := filepath.Join(t.TempDir(), "desk.db")
	works(t, operator(d, "backup", backup))
	whole, err := os.ReadFile(ledger(d))
	if err != nil {
		t.Fatal(err)
	}
	page := pages(t, d, "journal")[0]
	damaged := bytes.Clone(whole)
	copy(damaged[(page-1)*4096:page*4096], noise)
	for _, c := range []struct {
		damaged []byte
		said    string
	}{
		{nil, "the file is empty"},
		{noise, "file is not a database"},
		{whole[:len(whole)/2], "database disk image is malformed"},
		{damaged, fmt.Sprintf("database disk image is malformed (Tree %d page %[1]d: btreeInitPage() returns error code 11)", page)},
	} {
		put(t, d, c.damaged)
		refuses(t, d, "open "+ledger(d)+": "+c.said+restore)
	}
	if err := os.Rename(ledger(d), filepath.Join(t.TempDir(), "away")); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(ledger(d) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	copied, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	put(t, d, copied)
	d.Start()
	d.Say("next")
	d.Finish(chatOf("hello", "next")...)
}

// noise is as long as a page, and longer than it has to be.
var noise = bytes.Repeat([]byte("noise!"), 700)

// put puts bytes in place of a desk's ledger.
func put(t *testing.T, d *matrix.Desk, b []byte) {
	t.Helper()
	if err := os.WriteFile(ledger(d), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestALogThatIsDamagedIsRefused kills the bridge, whose last commits are in the log
// then. SQLite would drop them, and say nothing.
func TestALogThatIsDamagedIsRefused(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Kill()
	log := ledger(d) + "-wal"
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	copy(damaged[100:], "noise!")
	if err := os.WriteFile(log, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(t, d, "open "+log+": messages that were committed are in it, and it is damaged. "+
		"Put a backup in place of the ledger and move this file away, or move only this file away to go on without what it holds")
	if err := os.WriteFile(log, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	d.Start()
	d.Say("next")
	d.Finish(chatOf("hello", "next")...)
}

// TestDamageThatTheBridgeMeetsIsNamedAndNothingIsTaken writes noise over the ledger of a
// bridge that runs, and lets it forget what it has read.
func TestDamageThatTheBridgeMeetsIsNamedAndNothingIsTaken(t *testing.T) {
	d := startDesk(t, matrix.Options{Redelivery: often})
	d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Terminate()
	d.Start()
	inSQL(t, d, "PRAGMA wal_checkpoint(TRUNCATE)")
	whole, err := os.ReadFile(ledger(d))
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	for _, page := range pages(t, d, "journal") {
		copy(damaged[(page-1)*4096:page*4096], noise)
	}
	put(t, d, damaged)
	inSQL(t, d, "PRAGMA user_version = 1")
	next := d.Say("next")
	troubled(t, d, "read", "database disk image is malformed"+restore)
	kept(t, d, next)
	d.Kill()
	if err := os.Remove(ledger(d) + "-wal"); err != nil {
		t.Fatal(err)
	}
	put(t, d, whole)
	d.Start()
	d.Finish(chatOf("hello", "next")...)
	same(t, "the model's requests", []string{"hello: answered", "next: answered"}, d.Requests())
}

// pages are where a table of a ledger and its indexes begin, counted from 1.
func pages(t *testing.T, d *matrix.Desk, table string) (all []int) {
	t.Helper()
	db, err := sql.Open("sqlite3", ledger(d))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query("SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?", table)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var page int
		err = errors.Join(err, rows.Scan(&page))
		all = append(all, page)
	}
	if err = errors.Join(err, rows.Err(), rows.Close(), db.Close()); err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all
}

func TestALedgerOfANewerBridgeIsRefusedByAll(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	first := d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	d.Terminate()
	inSQL(t, d, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	const newer = ": the ledger is of version 99, this bridge knows up to 5: run the newer bridge that wrote it"
	refuses(t, d, "open "+ledger(d)+newer)
	for _, args := range [][]string{{"trace", first}, {"audit"}, {"prune", "--older-than", "720h"}, {"backup", filepath.Join(t.TempDir(), "b")}} {
		ends(t, operator(d, args[0], args[1:]...), "open "+ledger(d)+newer)
	}
	inSQL(t, d, "DELETE FROM goose_db_version WHERE version_id = 99")
	d.Start()
	d.Say("next")
	d.Finish(chatOf("hello", "next")...)
}

const isHeld = "database is locked. End the other program that has the ledger open"

// TestALedgerThatAnotherProgramHoldsIsTakenOnceItIsFree holds it while the bridge runs,
// and while it starts.
func TestALedgerThatAnotherProgramHoldsIsTakenOnceItIsFree(t *testing.T) {
	d := startDesk(t, matrix.Options{Redelivery: often})
	first := d.Say("hello")
	d.AwaitChat(chatOf("hello")...)
	release := held(t, d, "BEGIN EXCLUSIVE")
	next := d.Say("next")
	troubled(t, d, "write to", isHeld)
	kept(t, d, next)
	// Who only reads is none the worse for it.
	works(t, operator(d, "trace", first))
	release()
	d.AwaitLog("the ledger can be written again")
	d.AwaitChat(chatOf("hello", "next")...)

	d.Kill()
	release = held(t, d, "BEGIN IMMEDIATE")
	d.Start()
	third := d.Say("third")
	troubled(t, d, "write to", isHeld)
	kept(t, d, third)
	release()
	d.AwaitLog("the ledger can be written again")
	d.AwaitChat(chatOf("hello", "next", "third")...)
	d.Terminate()

	release = held(t, d, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
	refuses(t, d, "open "+ledger(d)+": "+isHeld)
	release()
	d.Start()
	d.Finish(chatOf("hello", "next", "third")...)
	same(t, "the model's requests", []string{"hello: answered", "next: answered", "third: answered"}, d.Requests())
}
