-- +goose Up
ALTER TABLE request ADD COLUMN form TEXT NOT NULL DEFAULT ''; -- shown, if poorer than the card
-- A fence is one of several bars now. Within a JSON text the quotes would be
-- escaped, so that this finds the member and nothing that a person wrote.
UPDATE track SET data = replace(data, '"fenced":true', '"barred":"fence"');
UPDATE journal SET fact = 'effect_dropped', body = json_object(
    'effect', 'show_receipt', 'subject', json_extract(body, '$.message'), 'said', json_extract(body, '$.said'))
    WHERE fact = 'receipt_dropped';
UPDATE journal SET fact = 'thread_status_changed', body = json_object(
    'status', 'active', 'waiting', json(iif(json_extract(body, '$.waiting'), 'true', 'false')))
    WHERE fact = 'waiting_changed';
