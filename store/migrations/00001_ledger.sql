-- +goose Up
CREATE TABLE journal (
    seq        INTEGER PRIMARY KEY,
    track      TEXT    NOT NULL,
    step       INTEGER NOT NULL,
    fact       TEXT    NOT NULL,
    key        TEXT    UNIQUE,           -- NULL: every occurrence counts
    body       TEXT    NOT NULL,         -- JSON of the fact
    at         INTEGER NOT NULL,         -- ms since the epoch
    from_state TEXT    NOT NULL,
    to_state   TEXT    NOT NULL,
    entry      TEXT    NOT NULL,         -- table entry that decided
    UNIQUE (track, step)
) STRICT;

CREATE TABLE track (
    id     TEXT    PRIMARY KEY,
    state  TEXT    NOT NULL,
    data   TEXT    NOT NULL,             -- JSON
    steps  INTEGER NOT NULL,
    thread TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX track_by_thread ON track (thread) WHERE thread <> '';

CREATE TABLE message (
    id      TEXT    PRIMARY KEY,         -- Feishu's message id
    track   TEXT    NOT NULL,
    sender  TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    created INTEGER NOT NULL,            -- ms, when the person sent it
    state   TEXT    NOT NULL,
    turn    TEXT    NOT NULL DEFAULT '',
    said    TEXT    NOT NULL DEFAULT '',
    at      INTEGER NOT NULL             -- ms, when the row last changed
) STRICT;
CREATE INDEX message_by_track ON message (track);

CREATE TABLE turn (
    id      TEXT    PRIMARY KEY,
    track   TEXT    NOT NULL,
    state   TEXT    NOT NULL,
    start   TEXT    NOT NULL DEFAULT '', -- message whose start it answers
    stop_by TEXT    NOT NULL DEFAULT '', -- /stop recorded for it
    said    TEXT    NOT NULL DEFAULT '',
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX turn_by_track ON turn (track);

CREATE TABLE delivery (
    id       TEXT    PRIMARY KEY,
    track    TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    state    TEXT    NOT NULL,
    turn     TEXT    NOT NULL DEFAULT '',
    reply_to TEXT    NOT NULL,
    body     TEXT    NOT NULL,           -- JSON
    shown    TEXT    NOT NULL DEFAULT '',
    code     INTEGER NOT NULL DEFAULT 0,
    said     TEXT    NOT NULL DEFAULT '',
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX delivery_by_track ON delivery (track);

CREATE TABLE outbox (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    track    TEXT    NOT NULL,
    step     INTEGER NOT NULL,           -- the track's step that emitted it
    effect   TEXT    NOT NULL,
    body     TEXT    NOT NULL,           -- JSON
    leased   INTEGER NOT NULL,           -- 1: an attempt may have taken effect
    attempts INTEGER NOT NULL,
    first_at INTEGER NOT NULL            -- ms of the first attempt; 0: none
) STRICT;
