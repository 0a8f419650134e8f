-- ${schema} is the quoted name of the schema.

-- A log that was cut, and written to anew, has another message at an offset that had one before: the
-- leader epoch tells them apart.
ALTER TABLE ${schema}.parked DROP CONSTRAINT parked_source_record_offset_key;
ALTER TABLE ${schema}.parked
    ADD CONSTRAINT parked_of_message UNIQUE (source, record_offset, leader_epoch);
ALTER TABLE ${schema}.outbox ADD COLUMN leader_epoch integer NOT NULL DEFAULT -1;
ALTER TABLE ${schema}.outbox DROP CONSTRAINT outbox_of_message;
ALTER TABLE ${schema}.outbox
    ADD CONSTRAINT outbox_of_message UNIQUE (source, record_offset, leader_epoch, ordinal);

UPDATE ${schema}.application SET schema_version = 7;
