package audit

import (
	"context"
	"errors"

	"deskbridge/store"
	"deskbridge/store/audit"
)

// Books are the ledger's tables.
type Books = audit.Books

// Read reads the ledger of a data folder that no daemon writes to. It has one
// conversation.
func Read(ctx context.Context, dir string) (b Books, err error) {
	ledger, err := store.Open(ctx, dir)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	all, err := ledger.Books(ctx)
	return audit.Whole(all), err
}
