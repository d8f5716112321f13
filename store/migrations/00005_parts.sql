-- +goose Up
ALTER TABLE outbox ADD COLUMN done INTEGER NOT NULL DEFAULT 0; -- how far the effect is done: parts of a delivery
