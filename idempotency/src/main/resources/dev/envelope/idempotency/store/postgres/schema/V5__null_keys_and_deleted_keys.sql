-- ${schema} is the quoted name of the schema.

-- Over how many rows records without a key are spread; 0 if those of a partition are one row, and
-- null as long as they were never given any.
ALTER TABLE ${schema}.application ADD COLUMN null_key_spread integer;
ALTER TABLE ${schema}.application ADD CONSTRAINT application_null_key_spread_check CHECK (null_key_spread >= 0);

-- The highest mark of rows that were purged. A message below it whose key has no row is taken for
-- one of theirs, so that reading again makes no deleted key anew; 0 undoes that.
ALTER TABLE ${schema}.source ADD COLUMN purged_below bigint NOT NULL DEFAULT 0;
ALTER TABLE ${schema}.source ADD COLUMN purged_epoch integer NOT NULL DEFAULT -1;

-- How far the search for rows of deleted keys is, and who is at it. It reads the table slice by slice
-- and needs no index: one on deleted rows would keep every update from staying within its page.
CREATE TABLE ${schema}.purge (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    next_page bigint NOT NULL DEFAULT 0,
    begins_at timestamptz NOT NULL DEFAULT now(),
    taken_by text COLLATE "C",
    taken_until timestamptz NOT NULL DEFAULT now()
);
INSERT INTO ${schema}.purge DEFAULT VALUES;

UPDATE ${schema}.application SET schema_version = 5;
