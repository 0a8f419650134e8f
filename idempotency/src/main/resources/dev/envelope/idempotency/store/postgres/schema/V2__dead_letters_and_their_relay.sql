-- Which message a record of the outbox comes from, and its place among what that one puts out.
-- ${schema} is the quoted name of the schema. Nothing has ever written to this table.
ALTER TABLE ${schema}.outbox ADD COLUMN source integer NOT NULL;
ALTER TABLE ${schema}.outbox ADD COLUMN record_offset bigint NOT NULL;
ALTER TABLE ${schema}.outbox ADD COLUMN ordinal integer NOT NULL DEFAULT 0;
ALTER TABLE ${schema}.outbox ADD CONSTRAINT outbox_of_message UNIQUE (source, record_offset, ordinal);

-- What only one process does at a time, and until when it does.
CREATE TABLE ${schema}.lease (
    name text COLLATE "C" PRIMARY KEY,
    taken_by text COLLATE "C" NOT NULL,
    taken_until timestamptz NOT NULL
);

UPDATE ${schema}.application SET schema_version = 2;
