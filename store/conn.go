package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/mattn/go-sqlite3"
)

// conn is the connection that the engine's transactions are made on. It speaks to
// the driver itself: a fact is eight statements, and database/sql, which serves
// whatever else the package does, would take longer about each than SQLite does.
// It is used from one goroutine.
type conn struct {
	*sqlite3.SQLiteConn
}

func connect(path string) (conn, error) {
	c, err := (&sqlite3.SQLiteDriver{}).Open(dsn(path, "rw"))
	if err != nil {
		return conn{}, err
	}
	return conn{c.(*sqlite3.SQLiteConn)}, nil
}

// prepare makes a statement, which lives as long as the connection.
func (c conn) prepare(query string) (*statement, error) {
	s, err := c.Prepare(query)
	if err != nil {
		return nil, err
	}
	return &statement{s.(*sqlite3.SQLiteStmt)}, nil
}

// statement is a prepared one.
type statement struct {
	*sqlite3.SQLiteStmt
}

// exec runs a statement that returns no rows. Values are taken as database/sql takes
// them.
func (s *statement) exec(args []any) (driver.Result, error) {
	values := make([]driver.Value, len(args))
	for i, arg := range args {
		var err error
		if values[i], err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return nil, err
		}
	}
	return s.Exec(values)
}

// first runs a query and returns its first row of so many columns, as int64 and
// string; nil: there is none.
func (s *statement) first(columns int, args ...driver.Value) (row []driver.Value, err error) {
	rows, err := s.Query(args)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row = make([]driver.Value, columns)
	if err := rows.Next(row); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	return row, nil
}

// setting reads a PRAGMA.
func (c conn) setting(name string) (string, error) {
	s, err := c.prepare("PRAGMA " + name)
	if err != nil {
		return "", err
	}
	row, err := s.first(1)
	if err = errors.Join(err, s.Close()); err != nil || row == nil {
		return "", err
	}
	return fmt.Sprint(row[0]), nil
}
