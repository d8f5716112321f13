-- +goose Up
-- How far an effect is done; of a delivery, and of its row: how many bytes of its
-- text stand in the chat.
ALTER TABLE outbox ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
