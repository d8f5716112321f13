-- +goose Up
CREATE TABLE request (
    id         TEXT    PRIMARY KEY,
    track      TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    turn       TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    generation TEXT    NOT NULL,         -- server process that asked
    shown      TEXT    NOT NULL,         -- message in the chat
    decided_by TEXT    NOT NULL,         -- open_id
    decision   TEXT    NOT NULL,
    at         INTEGER NOT NULL          -- ms, when the row last changed
) STRICT;
CREATE INDEX request_by_track ON request (track);
