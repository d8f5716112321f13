-- +goose Up
-- Where a track's journal begins once its older entries are pruned: the track as
-- the last of them left it.
CREATE TABLE start (
    track TEXT    PRIMARY KEY,
    state TEXT    NOT NULL,
    data  TEXT    NOT NULL,              -- JSON
    steps INTEGER NOT NULL               -- the last step that is pruned
) STRICT;

-- The keys of pruned entries, for good: the platform may bring a message again,
-- and Codex a turn's end, however old it is.
CREATE TABLE pruned_key (
    key TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
